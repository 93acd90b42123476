import { setTimeout as wait } from "node:timers/promises";
import type { Command, CommandId } from "@nacre/contracts";
import type { Pty } from "../pty/pty.ts";

/** What a program gets to end by itself, before it is asked less kindly. */
const SIGNAL_GRACE_MS = 1000;

/** Asks first as a person does; a shell that runs the command by itself heeds only that. */
const SIGNAL_STEPS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;

/** How often it is looked whether the command has begun or ended. */
const DEADLINE_POLL_MS = 20;

/** A shell on a busy machine begins a line this long after the deadline at the latest, or never. */
const MAX_BEGIN_MS = 10_000;

/** What a deadline needs of its Terminal. */
export interface DeadlineDeps {
  readonly pty: Pick<Pty, "leader" | "signal" | "state">;
  readonly running: () => Command | undefined;
  /** The first command of its line that began since the line was handed over, whether it runs or has ended. */
  readonly findOwn: () => Promise<Command | undefined>;
}

/** Ends one command of a live shell when it takes too long, whether or not somebody still waits for it; the shell goes on. */
export class CommandDeadline {
  readonly #deps: DeadlineDeps;
  #commandId: CommandId | undefined;
  #isPassed = false;
  #isCancelled = false;

  constructor(parts: DeadlineDeps, afterMs: number) {
    this.#deps = parts;
    // A program that ended meanwhile cannot be asked to end, and that is as good.
    setTimeout(() => void this.#end().catch(() => undefined), afterMs).unref();
  }

  /** Whether the command was ended because of it. */
  get isPassed(): boolean {
    return this.#isPassed;
  }

  /** Which command it is for. */
  begin(commandId: CommandId): void {
    this.#commandId = commandId;
  }

  /** The shell did not get the line. */
  cancel(): void {
    this.#isCancelled = true;
  }

  async #end(): Promise<void> {
    const { pty } = this.#deps;
    await this.#whenBegun();
    for (const signal of SIGNAL_STEPS) {
      if (!this.#isRunning()) return;
      this.#isPassed = true;
      const { foregroundProcessGroup } = await pty.state();
      const isShell = foregroundProcessGroup === pty.leader.pid;
      if (this.#isRunning() && (signal === "SIGINT" || !isShell)) await pty.signal(signal);
      const until = performance.now() + SIGNAL_GRACE_MS;
      while (this.#isRunning() && performance.now() < until) await nextPoll();
    }
  }

  /** A busy machine may begin the command after nobody listened any more, or after its time. */
  async #whenBegun(): Promise<void> {
    const until = performance.now() + MAX_BEGIN_MS;
    while (this.#commandId === undefined && !this.#isCancelled) {
      // What cannot be read now is looked for again.
      const own = await this.#deps.findOwn().catch(() => undefined);
      this.#commandId ??= own?.commandId;
      if (performance.now() >= until) return;
      if (this.#commandId === undefined) await nextPoll();
    }
  }

  #isRunning(): boolean {
    const id = this.#commandId;
    return id !== undefined && !this.#isCancelled && this.#deps.running()?.commandId === id;
  }
}

/** Resolves when it is time to look again; nobody need stay for that alone. */
const nextPoll = (): Promise<void> => wait(DEADLINE_POLL_MS, undefined, { ref: false });
