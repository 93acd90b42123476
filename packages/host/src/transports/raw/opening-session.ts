import type { SessionMessage } from "./service-message.ts";

/** What a client may say to a session before that is there; who says more waits for it. */
const MAX_HELD_LENGTH = 64 * 1024;

/** What a message costs beside its data, roughly. */
const MESSAGE_LENGTH = 256;

/** A message to a session that is attached. */
export type AttachedMessage = Exclude<SessionMessage, { type: "attach" }>;

/** Keeps what a client says to a session that is just being opened, in its order: clients need not wait before they speak. */
export class PendingSession {
  readonly messages: AttachedMessage[] = [];
  #length = 0;

  /** Keeps a message; tells whether there was room for it. */
  hold(message: AttachedMessage): boolean {
    const isTyped = message.type === "input" && typeof message.data === "string";
    const length = MESSAGE_LENGTH + (isTyped ? String(message.data).length : 0);
    if (this.#length + length > MAX_HELD_LENGTH) return false;
    this.#length += length;
    this.messages.push(message);
    return true;
  }
}
