// What the tests of control files share: a host that serves the directory of an agent, and an agent that has only files.
import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Caller, CallerId } from "@nacre/contracts";
import type { Host, HostOptions } from "@nacre/host";
import { serveControlDirectory } from "../../packages/host/src/transports/files/serve-control-directory.ts";
import type { ControlLimits } from "../../packages/host/src/transports/files/control-limits.ts";
import { openHost, ownDirectory } from "./terminal-tools.ts";

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

/** The agent that tests are. */
export const AGENT: Caller = {
  id: CallerId.parse("scribe"),
  scope: "agent",
  owner: { entityName: "Agent", entityId: "scribe" },
  roots: ["/tmp"],
};

/** A host that serves the directory of one agent. */
export interface Served extends AsyncDisposable {
  readonly host: Host;
  readonly agent: FileAgent;
  readonly problems: unknown[];
  /** Resolves with the first of the problems. */
  readonly problem: Promise<unknown>;
  /** Ends the service and begins it anew on the same directory. */
  restart(): Promise<void>;
}

/** What a directory is served with in a test. */
export interface ServeOptions {
  readonly limits?: Partial<ControlLimits>;
  readonly hasTerminals?: boolean;
  readonly caller?: Caller;
}

/** Opens a host and serves a directory of an agent. */
export async function openServed(
  options: ServeOptions = {},
  hostOptions: HostOptions = {},
): Promise<Served> {
  await using stack = new AsyncDisposableStack();
  const host = stack.use(await openHost(hostOptions));
  const place = stack.use(await ownDirectory());
  const directory = join(place.path, "terminal");
  const problems: unknown[] = [];
  const first = Promise.withResolvers<unknown>();
  const serve = () =>
    serveControlDirectory({
      directory,
      caller: AGENT,
      operations: host.operations,
      handleProblem: (error) => {
        problems.push(error);
        first.resolve(error);
      },
      ...options,
    });
  let service = await serve();
  stack.defer(() => service[Symbol.asyncDispose]());
  const parts = stack.move();
  return {
    host,
    agent: new FileAgent(directory),
    problems,
    problem: first.promise,
    restart: async () => {
      await service[Symbol.asyncDispose]();
      service = await serve();
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The bytes of an answer as text. */
export const decoded = ({ result }: Answered): string =>
  Buffer.from(String(result?.data_b64), "base64").toString();
