import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import type { KnownStore } from "./known-store.ts";
import type { Look, LookOptions } from "./look-at-store.ts";

/** Checks stores in a process of its own: one that reads a lot grows, and starts others the slower the larger it is. */
export class Checker implements Disposable {
  readonly #child: ChildProcess;

  /** The checker, ready to be started. */
  constructor(program: string) {
    this.#child = fork(program, [], { execArgv: [] });
  }

  /** Says what is wrong with the store of a killed victim; nothing when all of it is as it was acknowledged. */
  async check(
    known: KnownStore,
    options: Omit<LookOptions, "scrubbed">,
  ): Promise<string | undefined> {
    const { scrubbed } = known;
    this.#child.send({ ...options, scrubbed } satisfies LookOptions);
    const [look]: Look[] = await once(this.#child, "message");
    if (!look) return "nobody looked at the store";
    if (look.problem !== undefined) return look.problem;
    if (look.unmade === undefined) return known.compare(look.seen, look.auditCount);
    return known.isEmpty ? undefined : `${look.unmade}, and entries were acknowledged`;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

/** Keeps the files of a store that lost something, to be looked at. */
export function lossOf(problem: string, where: string, directory: string): Error {
  const kept = `${directory}-lost`;
  cpSync(directory, kept, { recursive: true });
  return new Error(`${problem} (${where}; its files are kept in ${kept})`);
}
