import { NacreError } from "@nacre/contracts/plain";
import type { PtyExit } from "../pty/pty.ts";
import { feedFrames, type FrameSocket } from "./frame-socket.ts";
import {
  createHello,
  encodeFailure,
  FRAME_TYPES,
  type FrameHeader,
  FrameReader,
  malformedFrame,
  MAX_PAYLOAD_BYTES,
  parseHello,
  parseJsonPayload,
} from "./frames.ts";
import type { KeptPty, PtySink } from "./kept-pty.ts";
import type { Fields } from "./wire-fields.ts";
import type { RingPiece } from "./output-ring.ts";

/** A connection that sends no hello for this long is closed. */
const MAX_HELLO_MS = 5000;

/** A peer that does not read its last frames is not waited for. */
const MAX_CLOSE_MS = 1000;

/** Before the peer is known, no more than a hello is read. */
const MAX_HELLO_BYTES = 4096;

/** A person's keys come further apart; faster typing gets each write acknowledged. */
const TYPING_GAP_MS = 3;

export interface ConnectionDeps {
  readonly version: string;
  /** It introduced itself and is the daemon to serve from here on. */
  handleHello(): void;
  handleClose(): void;
  findPty(number: number): KeptPty | undefined;
  answer(pty: number, request: Fields): Promise<KeeperAnswer>;
  handleTyped(): void;
  report(error: unknown): void;
}

export interface KeeperAnswer {
  readonly result: object;
  /** Runs once the answer is sent, so that its effects come after it. */
  readonly afterwards?: () => void;
}

export class Connection implements PtySink {
  readonly #wire: FrameSocket;
  readonly #deps: ConnectionDeps;
  readonly #reader: FrameReader;
  readonly #turns: (() => void)[] = [];
  readonly #helloTimer: NodeJS.Timeout;
  #hasIntroduced = false;
  #typedAtMs = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(wire: FrameSocket, deps: ConnectionDeps) {
    this.#wire = wire;
    this.#deps = deps;
    this.#reader = new FrameReader({
      roomFor: () => undefined,
      handleFrame: (head, payload) => this.#handleFrame(head, payload),
    });
    this.#reader.maxPayloadBytes = MAX_HELLO_BYTES;
    this.#helloTimer = setTimeout(() => wire.socket.destroy(), MAX_HELLO_MS);
    feedFrames(wire.socket, this.#reader, (error) => this.refuse(error));
    wire.socket.on("drain", () => this.#takeTurns());
    wire.socket.on("close", () => this.#handleClose());
  }

  get isBusy(): boolean {
    return this.#wire.isBusy;
  }

  sendOutput(pty: number, offset: number, { bytes, stream }: RingPiece): void {
    const type = stream ? FRAME_TYPES.errorOutput : FRAME_TYPES.output;
    this.#wire.send({ type, pty, value: offset }, bytes);
  }

  sendEnd(pty: number): void {
    this.#wire.send({ type: FRAME_TYPES.end, pty, value: 0 });
  }

  sendExit(pty: number, exit: PtyExit): void {
    this.#wire.sendJson({ type: FRAME_TYPES.exit, pty, value: 0 }, exit);
  }

  awaitTurn(go: () => void): void {
    this.#turns.push(go);
  }

  /** Sends the reason and closes. */
  refuse(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wire.refuse(encodeFailure(error));
    // Nothing is parsed any more, but the end must be noticed.
    this.#wire.socket.removeAllListeners("data").resume();
    this.#deps.handleClose();
  }

  /** After everything sent was read. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#wire.socket.once("close", () => resolve());
      this.#wire.socket.end();
      this.#wire.socket.setTimeout(MAX_CLOSE_MS, () => this.#wire.socket.destroy());
    });
  }

  #handleFrame(head: FrameHeader, payload: Uint8Array): void {
    if (this.#isOver) return;
    if (!this.#hasIntroduced) return this.#handleHello(head, payload);
    const { type, pty, value } = head;
    switch (type) {
      case FRAME_TYPES.input:
        return this.#write(head, payload);
      case FRAME_TYPES.consumed:
        return this.#deps.findPty(pty)?.consume(value);
      case FRAME_TYPES.acknowledge:
        return this.#deps.findPty(pty)?.acknowledge(value);
      case FRAME_TYPES.request:
        return this.#handleRequest(head, parseJsonPayload(payload));
      default:
        throw malformedFrame(`the type ${type}`);
    }
  }

  #handleHello({ type }: FrameHeader, payload: Uint8Array): void {
    if (type !== FRAME_TYPES.hello) throw malformedFrame(`the type ${type} before a hello`);
    parseHello(payload);
    clearTimeout(this.#helloTimer);
    this.#hasIntroduced = true;
    this.#reader.maxPayloadBytes = MAX_PAYLOAD_BYTES;
    this.#deps.handleHello();
    this.#wire.sendJson(
      { type: FRAME_TYPES.hello, pty: 0, value: 0 },
      createHello(this.#deps.version),
    );
  }

  #write({ pty, value }: FrameHeader, bytes: Uint8Array): void {
    const kept = this.#deps.findPty(pty);
    if (!kept) {
      const error = new NacreError("terminal_exited", "cannot write: the program has ended");
      return this.#fail(value, error);
    }
    this.#deps.handleTyped();
    const now = performance.now();
    const sinceMs = now - this.#typedAtMs;
    this.#typedAtMs = now;
    // The driver copies the bytes before this returns.
    kept.pty.write(bytes).then(
      () => this.#acknowledgeInput({ type: FRAME_TYPES.answer, pty: 0, value }, sinceMs),
      (error: unknown) => this.#fail(value, error),
    );
  }

  /** Combines the acknowledgement of a key with the program's output if that comes in a moment. */
  #acknowledgeInput(answer: FrameHeader, sinceMs: number): void {
    if (this.#isOver) return;
    if (sinceMs > TYPING_GAP_MS) this.#wire.sendSoon(answer);
    else this.#wire.send(answer);
  }

  #handleRequest({ pty, value }: FrameHeader, request: Fields): void {
    this.#deps.answer(pty, request).then(
      ({ result, afterwards }) => {
        if (this.#isOver) return;
        this.#wire.sendJson({ type: FRAME_TYPES.answer, pty: 0, value }, result);
        afterwards?.();
      },
      (error: unknown) => this.#fail(value, error),
    );
  }

  #fail(request: number, error: unknown): void {
    if (!(error instanceof NacreError)) this.#deps.report(error);
    if (this.#isOver) return;
    this.#wire.sendJson(
      { type: FRAME_TYPES.failure, pty: 0, value: request },
      encodeFailure(error),
    );
  }

  /** First come, first served; whoever has to wait again goes to the end. */
  #takeTurns(): void {
    for (const go of this.#turns.splice(0)) go();
  }

  #handleClose(): void {
    clearTimeout(this.#helloTimer);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deps.handleClose();
  }
}
