/** One message as it is sent: text, or its bytes in UTF-8. */
export type MessageFrame = Buffer | string;

/** What came from a client: a text, something that is no text, or a text that was too long to be kept. */
export type WireMessage =
  | { readonly kind: "text"; readonly bytes: Uint8Array }
  | { readonly kind: "binary" }
  | { readonly kind: "tooLong" };

/** One wire with whole messages in order: the text frames of a WebSocket, or lines. It reads nothing until it is resumed. */
export interface Wire {
  /** Sends a message; `handleSent` is called when the network has taken it, or never will. */
  send(frame: MessageFrame, handleSent: () => void): void;
  /** Closes once everything sent before is on its way. */
  close(code: number, reason: string): void;
  onMessage(handle: (message: WireMessage) => void): void;
  /** Calls back when the client will say nothing more, where a wire can tell that from being gone. */
  onEnd(handle: () => void): void;
  /** Calls back once, when the client is gone. */
  onClose(handle: () => void): void;
  pause(): void;
  resume(): void;
}

/** Why a connection is closed, in the numbers of RFC 6455. */
export const CLOSE = { normal: 1000, overload: 1013 } as const;
