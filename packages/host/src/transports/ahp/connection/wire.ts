/** Text, or its UTF-8 bytes. */
export type MessageFrame = Buffer | string;

/** Text, something else, or a text that was too long. */
export type WireMessage =
  | { readonly kind: "text"; readonly bytes: Uint8Array }
  | { readonly kind: "binary" }
  | { readonly kind: "tooLong" };

/** Whole messages in order: text frames of a WebSocket, or lines. Paused until resumed. */
export interface Wire {
  /** `handleSent`: the network took it, or never will. */
  send(frame: MessageFrame, handleSent: () => void): void;
  /** After everything sent before. */
  close(code: number, reason: string): void;
  onMessage(handle: (message: WireMessage) => void): void;
  /** The client sends no more, where the wire can tell that from being gone. */
  onEnd(handle: () => void): void;
  /** Called once. */
  onClose(handle: () => void): void;
  pause(): void;
  resume(): void;
}

/** RFC 6455 close codes. */
export const CLOSE = { normal: 1000, overload: 1013 } as const;
