import type { ClientSocket } from "../../../socket/client-socket.ts";
import type { Wire } from "./wire.ts";

/** The text frames of a WebSocket as a wire. */
export function socketWire(socket: ClientSocket): Wire {
  return {
    send: (frame, handleSent) => {
      // Of thousands of frames that wait when the client goes, each would be refused by itself.
      if (socket.isOpen) socket.sendText(frame, handleSent);
      else handleSent();
    },
    // It may be paused, and then would not hear that the client agrees.
    close: (code, reason) => socket.refuse(code, reason),
    onMessage: (handle) =>
      socket.onMessage((bytes, isText) =>
        handle(isText ? { kind: "text", bytes } : { kind: "binary" }),
      ),
    // A WebSocket that ends is closed in both directions.
    onEnd: () => undefined,
    onClose: (handle) => void socket.onClose(handle),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}
