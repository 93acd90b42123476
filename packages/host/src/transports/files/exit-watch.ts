import { MAX_WAIT_MS } from "@nacre/contracts";
import type { OperationContext } from "./operation-context.ts";
import type { SessionBook } from "./session-book.ts";
import { isGone, observe } from "./session-operations.ts";

/** Notices when the programs of sessions end by themselves. */
export class ExitWatch {
  readonly #sessions: SessionBook;
  readonly #call: OperationContext["call"];
  readonly #handleExit: () => void;

  constructor(parts: {
    readonly sessions: SessionBook;
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
      if (session) await observe(session, this.#call);
    } catch (error) {
      if (!isGone(error)) throw error;
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
