// What the socket of one terminal says beside bytes, where the client asked for it.
import { type ErrorCode, type NacreError, type Screen, Size } from "@nacre/contracts";
import { z } from "zod";
import type { AttachmentEntry, StartPosition } from "./attached-terminal.ts";
import { type SocketMessage, MAX_FRAME_BYTES } from "../../socket/outlet.ts";
import type { TerminalExit, FrameEncoder } from "./wire.ts";

/** The subprotocol that stands for `control=1`. */
export const CONTROL_PROTOCOL = "nacre.control.v1";

/** What a client may say in text frames once it asked for control. */
export const ClientControl = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("resize"), ...Size.shape }),
  z.strictObject({ type: z.literal("ping") }),
  z.strictObject({ type: z.literal("input"), data: z.string() }),
]);

/** What the host says in text frames. */
export type HostControl =
  | {
      readonly type: "snapshot";
      readonly sequence: number;
      readonly size: Size;
      /** How many bytes of the binary frames that follow are the snapshot. */
      readonly bytes: number;
      readonly alternate: boolean;
      readonly title: string;
    }
  | { readonly type: "cursor"; readonly sequence: number }
  | ({ readonly type: "size" } & Size)
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "claim"; readonly claim: unknown; readonly epoch: number }
  | { readonly type: "gap"; readonly lostBytes: number | null }
  | ({ readonly type: "exit" } & TerminalExit)
  | { readonly type: "error"; readonly code: ErrorCode; readonly message: string }
  | { readonly type: "pong" };

/** Writes down what the host says. */
export const controlFrame = (control: HostControl): string => JSON.stringify(control);

/** How a refusal is told. */
export const errorFrame = ({ code, message }: NacreError): string =>
  controlFrame({ type: "error", code, message });

/** An emulator starts anew with this, whatever it showed. */
const RESET = "\u001bc";

/** What takes everything off an emulator's screen and out of its scrollback. */
const CLEAR = Buffer.from("\u001b[H\u001b[2J\u001b[3J");

/** How a terminal is told in bytes, and with control also what the bytes are. */
export class ConnectEncoder implements FrameEncoder {
  readonly #hasControl: boolean;

  constructor(hasControl: boolean) {
    this.#hasControl = hasControl;
  }

  /** Where a viewer begins that gets only what is new: without it, one that comes back could not say what it has. */
  begin(start: StartPosition, after: number | undefined): readonly SocketMessage[] {
    if (start.kind !== "tail" || after === undefined) return [];
    return this.#say({ type: "cursor", sequence: after });
  }

  snapshot({ sequence, size, content = "", alternate, title }: Screen): readonly SocketMessage[] {
    const bytes = Buffer.from(RESET + content);
    const about = { sequence, size, bytes: bytes.byteLength, alternate, title };
    return [
      ...this.#say({ type: "snapshot", ...about }),
      ...splitFrames(bytes),
      ...this.#say({ type: "cursor", sequence }),
    ];
  }

  output(burst: readonly Uint8Array[], sequence: number): readonly SocketMessage[] {
    const [first] = burst;
    const whole = first && burst.length === 1 ? [first] : splitFrames(Buffer.concat(burst));
    return this.#hasControl ? [...whole, controlFrame({ type: "cursor", sequence })] : whole;
  }

  entry(entry: AttachmentEntry): readonly SocketMessage[] {
    const { sequence } = entry;
    switch (entry.type) {
      case "clear":
        return [CLEAR, ...this.#say({ type: "cursor", sequence })];
      case "resize":
        return this.#say({ type: "size", cols: entry.cols, rows: entry.rows });
      case "title":
        return this.#say({ type: "title", title: entry.title });
      case "claim":
        return this.#say({ type: "claim", claim: entry.claim, epoch: entry.epoch });
      case "gap":
        return this.#say({ type: "gap", lostBytes: entry.lostBytes });
      case "header":
      case "input":
      case "output":
      case "exit":
      case "command":
      case "commandEnd":
      case "cwd":
      case "marker":
        return [];
    }
  }

  exit({ exitCode, signal, lostReason }: TerminalExit): readonly SocketMessage[] {
    const known = signal === undefined ? {} : { signal };
    const lost = lostReason === undefined ? {} : { lostReason };
    return this.#say({ type: "exit", exitCode, ...known, ...lost });
  }

  #say(control: HostControl): readonly SocketMessage[] {
    return this.#hasControl ? [controlFrame(control)] : [];
  }
}

/** Bytes in frames of a bounded size, without copying them. */
function splitFrames(bytes: Uint8Array): readonly Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; at += MAX_FRAME_BYTES) {
    frames.push(bytes.subarray(at, at + MAX_FRAME_BYTES));
  }
  return frames;
}
