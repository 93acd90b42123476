import { MAX_WAIT_MS } from "@nacre/contracts";
import type { OperationContext } from "./operation-context.ts";
import type { SessionBook } from "./session-book.ts";
import { observe } from "./session-operations.ts";

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
    const until = [{ kind: "exit" }];
    for (;;) {
      const { outcome } = await this.#call("waitFor", { id, until, timeoutMs: MAX_WAIT_MS });
      if (outcome === "exit") break;
    }
    const session = this.#sessions.all.find(({ terminalId }) => terminalId === id);
    if (!session) return;
    await observe(session, this.#call);
    this.#handleExit();
  }
}
