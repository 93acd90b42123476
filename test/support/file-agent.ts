import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What the agent finds as the answer to a request. */
export interface Answered {
  readonly ok: boolean;
  readonly request_id: string;
  readonly operation: string;
  readonly session_id: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- what is in it depends on the operation
  readonly result: any;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly suggestion?: string;
    readonly field?: string;
  } | null;
}

/** An agent that has only files. */
export class FileAgent {
  readonly directory: string;
  #next = 1;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Where something in the directory is. */
  path(...names: readonly string[]): string {
    return join(this.directory, ...names);
  }

  /** What a file has in it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- what is in it depends on the file
  read(...names: readonly string[]): any {
    return JSON.parse(readFileSync(this.path(...names), "utf8"));
  }

  /** Puts a request into place, whole. */
  async put(name: string, payload: object | string): Promise<void> {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    const draft = this.path("control", `.${name}.${Math.random()}.tmp`);
    await writeFile(draft, text);
    await rename(draft, this.path("control", `${name}.json`));
  }

  /** Asks for something, and resolves with the answer to just that. */
  async ask(name: string, payload: object = {}): Promise<Answered> {
    const request_id = `r${this.#next++}-${Math.random().toString(36).slice(2)}`;
    await this.put(name, { request_id, ...payload });
    return await this.answer(request_id);
  }

  /** The answer to a request, once it is there. */
  async answer(requestId: string): Promise<Answered> {
    await appeared(this.path("requests"), `${requestId}.json`);
    return this.read("requests", `${requestId}.json`) as Answered;
  }

  /** The first result that is wanted. */
  async result(isWanted: (answer: Answered) => boolean): Promise<Answered> {
    return await found(this.directory, () => {
      const answer = this.read("result.json") as Answered;
      return isWanted(answer) ? answer : undefined;
    });
  }

  /** Resolves when a file of the directory has what is wanted. */
  // oxlint-disable-next-line typescript/no-explicit-any -- what is in it depends on the file
  async until(file: string, isWanted: (content: any) => boolean): Promise<unknown> {
    return await found(this.directory, () => {
      const content: unknown = this.read(file);
      return isWanted(content) ? { content } : undefined;
    });
  }
}

const appeared = async (directory: string, name: string): Promise<unknown> =>
  await found(directory, () => (existsSync(join(directory, name)) ? { name } : undefined));

/** Resolves with what is found in a directory, looking whenever something in it changes. */
export async function found<Value extends object>(
  directory: string,
  find: () => Value | undefined,
): Promise<Value> {
  const watcher = watch(directory);
  try {
    for (;;) {
      const changed = once(watcher, "change");
      const value = find();
      if (value) return value;
      await changed;
    }
  } finally {
    watcher.close();
  }
}
