// What stands for a screen thread: a screen is all text since it was last cleared. It shows whether each change comes once and in order.
import { createHash } from "node:crypto";
import type { Size } from "@nacre/contracts";
import type { ScreenChange } from "../../packages/host/src/screen/screen-change.ts";
import {
  type ScreenOrder,
  type ScreenReport,
  WorkerHeartbeat,
} from "../../packages/host/src/screen/screen-protocol.ts";

/** A screen as of a sequence. */
export interface DrawnText {
  text: string;
  size: Size;
  sequence: number;
}

/** Draws one more change. */
export function drawChange(drawn: DrawnText, change: ScreenChange): void {
  drawn.sequence = change.sequence;
  switch (change.kind) {
    case "output":
      drawn.text += Buffer.from(change.bytes).toString("latin1");
      return;
    case "resize":
      drawn.size = change.size;
      return;
    case "clear":
      drawn.text = "";
  }
}

/** The wire of a screen thread. */
interface Port {
  on(name: "message", listener: (order: ScreenOrder) => void): unknown;
  postMessage(report: ScreenReport): void;
}

/** How long a step that hangs may take before the thread is ended. */
const HANG_LIMIT_MS = 100;

/** Makes a thread draw; `hangs` is asked before each change whether it never comes back from it. */
export function serveDrawings(port: Port, data: unknown, hangs: () => boolean): void {
  // Whoever starts a screen thread gives it this.
  const pulse = new WorkerHeartbeat((data as { readonly pulse: SharedArrayBuffer }).pulse);
  const drawings = new Map<number, DrawnText>();
  let isHanging = false;
  const take = (order: ScreenOrder): void => {
    const { id } = order;
    const drawn = drawings.get(id);
    switch (order.kind) {
      case "open": {
        const { saved, size } = order;
        const text = saved ? Buffer.from(saved.bytes).toString("latin1") : "";
        drawings.set(id, { text, size: saved?.size ?? size, sequence: saved?.sequence ?? 0 });
        return;
      }
      case "close":
        return void drawings.delete(id);
      case "change":
        if (!drawn) return;
        if (hangs()) {
          isHanging = true;
          pulse.begin({
            id,
            limitMs: HANG_LIMIT_MS,
            sequence: order.change.sequence,
            offset: 0,
          });
          return;
        }
        drawChange(drawn, order.change);
        return port.postMessage({ kind: "drawn", all: [{ id, sequence: drawn.sequence }] });
      case "picture": {
        if (!drawn) return;
        const { text, size, sequence } = drawn;
        const hash = createHash("sha256").update(text).digest("hex");
        const cursor = { row: 0, column: 0, visible: true };
        const picture = {
          sequence,
          size,
          text,
          content: text,
          cursor,
          alternate: false,
          isFull: false,
          hash,
        };
        return port.postMessage({ kind: "picture", id, request: order.request, picture });
      }
      case "save": {
        if (!drawn) return;
        const { text, size, sequence } = drawn;
        const saved = { sequence, size, bytes: new Uint8Array(Buffer.from(text, "latin1")) };
        return port.postMessage({ kind: "saved", id, request: order.request, saved });
      }
    }
  };
  port.on("message", (order) => {
    if (isHanging) return;
    take(order);
    if (!isHanging) pulse.countDone();
  });
  port.postMessage({ kind: "ready", threadId: undefined });
}
