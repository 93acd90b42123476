import {
  MAX_COLS,
  MAX_ROWS,
  NacreError,
  Size,
  type TerminalId,
  type TerminalState,
} from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import { AttachedTerminal, readTerminal } from "../raw/attached-terminal.ts";
import { ResizeThrottle } from "../raw/resize-throttle.ts";
import { CursorQueries } from "../raw/emulator-replies.ts";
import { type FrameNaming, ServiceEncoder, sessionFrame } from "./service-frames.ts";
import type { SocketDeps } from "../raw/socket-deps.ts";
import { Viewer } from "../raw/viewer.ts";

/** Input of one message, in characters; clients know this limit. */
const MAX_INPUT_LENGTH = 1_048_576;

const LIVE_STATES: ReadonlySet<TerminalState> = new Set(["creating", "active", "killing"]);

export interface SocketSessionDeps extends Pick<
  SocketDeps,
  "socket" | "operations" | "context" | "maxBehindMs" | "handleProblem"
> {
  readonly id: TerminalId;
  readonly naming: FrameNaming;
  /** The shell of sessions that do not say which they have. */
  readonly usualShell: string;
}

/** One terminal as a socket of the terminal service shows it: connected, scrollback, data, exit. */
export class SocketSession implements Disposable {
  readonly #deps: SocketSessionDeps;
  readonly #terminal: AttachedTerminal;
  readonly #viewer: Viewer;
  readonly #wire: ServiceEncoder;
  readonly #queries = new CursorQueries();
  readonly #size: ResizeThrottle;
  #isDisposed = false;

  private constructor(deps: SocketSessionDeps, terminal: AttachedTerminal, connected: string) {
    this.#deps = deps;
    this.#terminal = terminal;
    this.#wire = new ServiceEncoder(deps.naming);
    this.#size = new ResizeThrottle(
      (size) => void terminal.attachment.resize(size).catch(this.#refuse),
    );
    this.#viewer = new Viewer({
      terminal,
      outlet: deps.socket.sendQueue,
      wire: this.#wire,
      first: [connected],
      handleOutput: (output) => this.#queries.note(output),
      maxBehindMs: deps.maxBehindMs,
    });
  }

  /** Attaches to the terminal, which the client is told first of all, or throws `terminal_not_found`. */
  static async open(deps: SocketSessionDeps): Promise<SocketSession> {
    const { state, owner, workingDirectory } = await readTerminal(deps);
    // Sessions that ended are gone for this service; their recordings are found by other ways.
    if (!LIVE_STATES.has(state)) throw new NacreError("terminal_not_found", "Session not found");
    const terminal = await AttachedTerminal.open(deps, { kind: "snapshot" });
    const { shell = deps.usualShell } = owner.attributes ?? {};
    const fields = { shell, cwd: workingDirectory };
    return new SocketSession(deps, terminal, sessionFrame(deps.naming, "connected", fields));
  }

  /** Resolves when the program ended and everything was told and taken; or once disposed. */
  async run(): Promise<void> {
    const ending = await this.#viewer.run();
    if (this.#isDisposed) return;
    await this.#viewer.finish(this.#wire.exit(ending ?? (await this.#terminal.readExit())));
  }

  /** Types what a client sent; answers of emulators are left out. */
  input(data: unknown): void {
    if (typeof data !== "string") return this.#error("Invalid input type");
    if (data.length > MAX_INPUT_LENGTH) return this.#error("Input too large");
    const bytes = Buffer.from(data);
    if (bytes.byteLength === 0 || this.#queries.isReply(bytes)) return;
    const { socket } = this.#deps;
    this.#terminal.attachment.write(bytes, { whenFull: socket }).catch(this.#refuse);
  }

  /** Asks for a size; what is none is told. */
  resize(cols: unknown, rows: unknown): void {
    const size = Size.safeParse({ cols, rows });
    if (size.success) this.#size.request(size.data);
    else this.#error(`Invalid size: cols 1 to ${MAX_COLS}, rows 1 to ${MAX_ROWS}`);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#size[Symbol.dispose]();
    this.#viewer[Symbol.dispose]();
    this.#terminal[Symbol.dispose]();
  }

  #error(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { socket, naming } = this.#deps;
    socket.answer(sessionFrame(naming, "error", { message, ...fields }));
  }

  readonly #refuse = (error: unknown): void => {
    if (!(error instanceof NacreError)) this.#deps.handleProblem(error);
    const { code, message } = toNacreError(error);
    this.#error(message, { code });
  };
}
