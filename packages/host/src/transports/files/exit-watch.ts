import { MAX_WAIT_MS } from "@nacre/contracts";
import type { OperationContext } from "./operation-context.ts";
import type { ControlSessions } from "./session-book.ts";
import { isTerminalGone, observeSession } from "./session-operations.ts";

/** Notices when the programs of sessions end by themselves. */
export class ExitWatcher {
  readonly #sessions: ControlSessions;
  readonly #call: OperationContext["call"];
  readonly #handleExit: () => void;

  constructor(parts: {
    readonly sessions: ControlSessions;
    readonly call: OperationContext["call"];
    readonly handleExit: () => void;
  }) {
    this.#sessions = parts.sessions;
    this.#call = parts.call;
    this.#handleExit = parts.handleExit;
  }

  /** Follows one terminal until its end, or until nobody answers any more. */
  async follow(id: string): Promise<void> {
    const find = () => this.#sessions.all.find(({ terminalId }) => terminalId === id);
    try {
      await this.#untilExit(id);
      const session = find();
      if (session) await observeSession(session, this.#call);
    } catch (error) {
      if (!isTerminalGone(error)) throw error;
      // Nothing is left of it, not even a recording: its name is free again.
      find()?.note({ state: "closed" });
    }
    this.#handleExit();
  }

  async #untilExit(id: string): Promise<void> {
    const until = [{ kind: "exit" }];
    for (;;) {
      const { outcome } = await this.#call("waitFor", { id, until, timeoutMs: MAX_WAIT_MS });
      if (outcome === "exit") return;
    }
  }
}
