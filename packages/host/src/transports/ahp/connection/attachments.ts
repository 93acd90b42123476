import type { TerminalId } from "@nacre/contracts";
import type { Attachment } from "../../../operations/attachment.ts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { Operations } from "../../../operations/dispatch.ts";

/** Terminals that one client types into at the same time; of more, the one it left longest ago is attached again later. */
const MAX_ATTACHMENTS = 32;

/** What is attached to drive it has no feed; its channel tells what comes of that. */
const DRIVEN = { isInternal: true } as const;

/** The terminals that a client types into, each attached once for everybody it speaks for. */
export class AttachmentCache implements Disposable {
  readonly #operations: Pick<Operations, "attach">;
  /** The one used last comes last. */
  readonly #attached = new Map<string, Promise<Attachment>>();
  #isOver = false;

  constructor(operations: Pick<Operations, "attach">) {
    this.#operations = operations;
  }

  /** The attachment of a terminal; what cannot be attached is tried again the next time. */
  async get(id: TerminalId, context: CallContext): Promise<Attachment> {
    const key = JSON.stringify([id, context.caller.session]);
    const attached = this.#attached.get(key) ?? this.#operations.attach(id, DRIVEN, context);
    this.#attached.delete(key);
    this.#attached.set(key, attached);
    this.#evictOldest();
    try {
      return await attached;
    } catch (error) {
      this.#evict(key);
      throw error;
    } finally {
      if (this.#isOver) this.#evict(key);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const key of this.#attached.keys()) this.#evict(key);
  }

  #evictOldest(): void {
    const [oldest] = this.#attached.keys();
    if (oldest !== undefined && this.#attached.size > MAX_ATTACHMENTS) this.#evict(oldest);
  }

  #evict(key: string): void {
    const attached = this.#attached.get(key);
    this.#attached.delete(key);
    // Who waits for it hears why it failed.
    attached?.then((attachment) => attachment[Symbol.dispose]()).catch(() => undefined);
  }
}
