import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NacreClient } from "@nacre/client";
import { TerminalId } from "@nacre/contracts";
import { readProcess } from "../../packages/host/src/pty/process-table.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { OwnHome } from "./own-home.ts";
import { endingKind, PROGRAM_KINDS, type ProgramKind } from "./programs.ts";
import { readRecorded } from "./recorded-output.ts";

/** A week: whoever starts a program that outlives its daemon does not wait for it. */
const NO_TIMEOUT_MS = 7 * 24 * 60 * 60 * 1000;

/** Programs of every kind, which do not notice what becomes of their daemon. */
export class Survivors {
  readonly #home: OwnHome;
  readonly #started: ProgramKind[] = [];
  /** Since when each process is there, by its number. */
  readonly #startTicks = new Map<number, number>();

  constructor(home: OwnHome) {
    this.#home = home;
  }

  get count(): number {
    return this.#started.length;
  }

  /** Starts one of each kind; resolves when all of them write. */
  async start(): Promise<void> {
    const client = this.#home.client();
    for (const kind of PROGRAM_KINDS) await this.#start(client, kind);
    for (const pid of PROGRAM_KINDS.flatMap(({ name }) => this.#pidsOf(name))) {
      this.#startTicks.set(pid, readProcess(pid)?.startTicks ?? Number.NaN);
    }
  }

  /** Starts one that will end while the daemon is away, and lets the one of random bytes write. */
  async prepare(round: number): Promise<void> {
    await this.#start(this.#home.client(), endingKind(round));
    this.#tell(`burst.${round}`);
  }

  /** The daemon is away: the program of this round ends, and others go on writing. */
  async outlive(round: number): Promise<void> {
    this.#tell(`away.${round}`);
    const before = this.#wroteBytes("lines");
    await waitUntil(() => this.#wroteBytes("lines") > before, { what: "a program goes on" });
    await waitUntil(() => this.#wroteBytes(`ending-${round}`) === 100_005, {
      what: "a program ends",
    });
  }

  /** Throws when a process is gone or another one has its number. */
  checkProcesses(): void {
    for (const [pid, startTicks] of this.#startTicks) {
      const found = readProcess(pid);
      if (!found || found.isDead || found.startTicks !== startTicks) {
        throw new Error(`process ${pid} is ${found ? "another one" : "gone"}`);
      }
    }
  }

  /** Tells all to end and compares what is recorded with what each says that it wrote; gives how many bytes that is. */
  async end(): Promise<number> {
    const client = this.#home.client();
    this.#tell("stop");
    for (const pid of this.#pidsOf("stopped")) process.kill(pid, "SIGCONT");
    let bytes = 0;
    for (const kind of this.#started) {
      const id = idOf(kind);
      const condition = { kind: kind.way === "command" ? "commandEnd" : "exit" } as const;
      const { outcome } = await client.waitFor({ id, until: [condition], after: 0 });
      if (outcome !== condition.kind) throw new Error(`${kind.name} did not end: ${outcome}`);
      const recorded = await readRecorded(client, id, kind.way === "command" ? "command" : "all");
      if (recorded.exitCode !== kind.exitCode) {
        throw new Error(`${kind.name} ended with ${String(recorded.exitCode)}`);
      }
      const wrote = readFileSync(this.#file(kind.name, "wrote"));
      if (createHash("sha256").update(wrote).digest("hex") !== recorded.sha256) {
        throw new Error(
          `${kind.name} wrote ${wrote.length} bytes, others than the ${recorded.bytes} recorded`,
        );
      }
      bytes += wrote.length;
    }
    return bytes;
  }

  async #start(client: NacreClient, kind: ProgramKind): Promise<void> {
    this.#started.push(kind);
    const { env, work } = this.#home;
    const id = idOf(kind);
    const args = ["-c", kind.script, "sh", join(work, kind.name), work];
    const program = { id, env, workingDirectory: work, command: "/bin/sh", args };
    switch (kind.way) {
      case "terminal":
        await client.createTerminal(program);
        break;
      case "pipe":
        // Whoever waits for it loses its daemon; the program does not.
        void client
          .execCommand({ ...program, mode: "pipe", timeoutMs: NO_TIMEOUT_MS })
          .catch(() => undefined);
        break;
      case "command": {
        const script = this.#file(kind.name, "sh");
        writeFileSync(script, kind.script);
        await client.createTerminal({ id, env, workingDirectory: work, shell: "bash" });
        await client.waitFor({ id, until: [{ kind: "prompt" }], after: 0 });
        const commandLine = `sh ${script} ${join(work, kind.name)} ${work}`;
        void client.runCommand({ id, commandLine }).catch(() => undefined);
      }
    }
    await waitUntil(() => kind.name === "random" || this.#wroteBytes(kind.name) > 0, {
      what: `${kind.name} writes`,
    });
  }

  #pidsOf(name: string): number[] {
    const path = this.#file(name, "pids");
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8").trim().split("\n").map(Number);
  }

  #wroteBytes(name: string): number {
    return statSync(this.#file(name, "wrote"), { throwIfNoEntry: false })?.size ?? 0;
  }

  #tell(word: string): void {
    writeFileSync(join(this.#home.work, word), "");
  }

  #file(name: string, what: string): string {
    return join(this.#home.work, `${name}.${what}`);
  }
}

const idOf = ({ name }: ProgramKind): TerminalId => TerminalId.parse(`terminal:${name}`);
