// The socket of one terminal: bytes both ways, and beside them control for whoever asks for it.
import { type ErrorCode, NacreError, parse, type Screen, Size, TerminalId } from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import { z } from "zod";
import { parseJsonText } from "../../base/parse-json-text.ts";
import {
  type ClientSocket,
  CLOSE_CODES,
  MAX_FRAME_BYTES,
  type SocketMessage,
} from "../../socket/client-socket.ts";
import {
  AttachedTerminal,
  type AttachmentEntry,
  type FrameEncoder,
  parseStart,
  type StartPosition,
  type TerminalExit,
} from "./attached-terminal.ts";
import { ResizeThrottle } from "./resize-throttle.ts";
import { CursorQueries } from "./emulator-replies.ts";
import { closeRefused, type SocketDeps } from "./socket-deps.ts";
import { Viewer } from "./viewer.ts";

// What the socket of one terminal says beside bytes, where the client asked for it.

/** The subprotocol that stands for `control=1`. */
const CONTROL_PROTOCOL = "nacre.control.v1";

/** What a client may say in text frames once it asked for control. */
const ClientControl = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("resize"), ...Size.shape }),
  z.strictObject({ type: z.literal("ping") }),
  z.strictObject({ type: z.literal("input"), data: z.string() }),
]);

/** What the host says in text frames. */
type HostControl =
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
const controlFrame = (control: HostControl): string => JSON.stringify(control);

/** How a refusal is told. */
const errorFrame = ({ code, message }: NacreError): string =>
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

interface ConnectInputDeps {
  readonly socket: ClientSocket;
  readonly terminal: AttachedTerminal;
  readonly queries: CursorQueries;
  /** Whether text frames are control; otherwise they are typed as they are. */
  readonly hasControl: boolean;
  readonly handleProblem: (error: unknown) => void;
}

/** Does what a client says: bytes are typed, and with control text says what else to do. */
class ConnectInput implements Disposable {
  readonly #deps: ConnectInputDeps;
  readonly #size: ResizeThrottle;

  constructor(deps: ConnectInputDeps) {
    this.#deps = deps;
    this.#size = new ResizeThrottle((size) => void this.#resize(size).catch(this.#refuse));
  }

  /** Takes one message. */
  handle(bytes: Buffer, isText: boolean): void {
    if (!isText || !this.#deps.hasControl) this.#type(bytes);
    else this.#control(bytes);
  }

  [Symbol.dispose](): void {
    this.#size[Symbol.dispose]();
  }

  #control(text: Buffer): void {
    try {
      const control = parse(ClientControl, parseJsonText(text.toString()));
      switch (control.type) {
        case "resize":
          this.#size.request({ cols: control.cols, rows: control.rows });
          return;
        case "input":
          this.#type(Buffer.from(control.data));
          return;
        case "ping":
          this.#deps.socket.answer(controlFrame({ type: "pong" }));
          return;
      }
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** The host has answered what programs ask, so that what emulators answer is left out. */
  #type(bytes: Buffer): void {
    const { socket, terminal, queries } = this.#deps;
    if (bytes.byteLength === 0 || queries.isReply(bytes)) return;
    terminal.attachment.write(bytes, { whenFull: socket }).catch(this.#refuse);
  }

  /** The size of a terminal follows whoever drives it; everybody else is told which it is. */
  async #resize(asked: Size): Promise<void> {
    const { cols, rows } = await this.#deps.terminal.attachment.resize(asked);
    const isOther = cols !== asked.cols || rows !== asked.rows;
    if (isOther) this.#deps.socket.answer(controlFrame({ type: "size", cols, rows }));
  }

  readonly #refuse = (error: unknown): void => {
    if (!(error instanceof NacreError)) this.#deps.handleProblem(error);
    if (this.#deps.hasControl) this.#deps.socket.answer(errorFrame(toNacreError(error)));
  };
}

/** Shows a terminal to one socket until either of them ends. */
export async function serveConnect(deps: SocketDeps, id: TerminalId): Promise<void> {
  const { socket } = deps;
  try {
    await show(deps, id);
    socket.close(CLOSE_CODES.ended, "terminal ended");
  } catch (error) {
    const refusal = toNacreError(error);
    if (refusal.code === "internal") deps.handleProblem(error);
    closeRefused(socket, refusal);
  } finally {
    socket.resume();
  }
}

async function show({ socket, ...parts }: SocketDeps, id: TerminalId): Promise<void> {
  const hasControl = parts.query.get("control") === "1" || parts.protocol === CONTROL_PROTOCOL;
  const start = parseStart(parts.query.get("cursor"));
  const { operations } = parts;
  const context = { ...parts.context, inside: parseInside(parts.query.get("inside")) };
  using terminal = await AttachedTerminal.open({ operations, id, context }, start);
  const queries = new CursorQueries();
  const { handleProblem } = parts;
  using input = new ConnectInput({ socket, terminal, queries, hasControl, handleProblem });
  socket.onMessage((bytes, isText) => input.handle(bytes, isText));
  socket.resume();
  const wire = new ConnectEncoder(hasControl);
  using viewer = new Viewer({
    terminal,
    outlet: socket.sendQueue,
    wire,
    first: wire.begin(start, terminal.after),
    handleOutput: (output) => queries.note(output),
    maxBehindMs: parts.maxBehindMs,
  });
  using _ended = socket.onClose(() => {
    viewer[Symbol.dispose]();
    terminal[Symbol.dispose]();
  });
  const ending = await viewer.run();
  if (socket.isOpen) await viewer.finish(wire.exit(ending ?? (await terminal.readExit())));
}

/** The terminal in which the viewer itself runs, where it says so. */
const parseInside = (text: string | null): TerminalId | undefined =>
  text === null ? undefined : parse(TerminalId, text, "inside");
