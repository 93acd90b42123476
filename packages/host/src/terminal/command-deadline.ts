import { setTimeout as wait } from "node:timers/promises";
import type { Command, CommandId } from "@nacre/contracts";
import type { Pty } from "../pty/pty.ts";

/** What a program gets to end by itself, before it is asked less kindly. */
const GRACE_MS = 1000;

/** Asks first as a person does; a shell that runs the command by itself heeds only that. */
const STEPS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;

/** How often it is looked whether the command has ended. */
const LOOK_MS = 20;

/** What a deadline needs of its Terminal. */
export interface DeadlineParts {
  readonly pty: Pick<Pty, "leader" | "signal" | "state">;
  readonly running: () => Command | undefined;
}

/** Ends one command of a live shell when it takes too long, whether or not somebody still waits for it; the shell goes on. */
export class CommandDeadline {
  readonly #parts: DeadlineParts;
  readonly #commandLine: string;
  #commandId: CommandId | undefined;
  #isPassed = false;

  constructor(parts: DeadlineParts, commandLine: string, afterMs: number) {
    this.#parts = parts;
    this.#commandLine = commandLine;
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

  async #end(): Promise<void> {
    const { pty } = this.#parts;
    for (const signal of STEPS) {
      if (!this.#isRunning()) return;
      this.#isPassed = true;
      const { foregroundProcessGroup } = await pty.state();
      const isShell = foregroundProcessGroup === pty.leader.pid;
      if (this.#isRunning() && (signal === "SIGINT" || !isShell)) await pty.signal(signal);
      const until = performance.now() + GRACE_MS;
      while (this.#isRunning() && performance.now() < until) await wait(LOOK_MS);
    }
  }

  #isRunning(): boolean {
    const running = this.#parts.running();
    if (!running) return false;
    // A busy machine may have begun it after nobody listened any more.
    return this.#commandId === undefined
      ? running.commandLine === this.#commandLine
      : running.commandId === this.#commandId;
  }
}
