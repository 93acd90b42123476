import { connect } from "node:net";
import { dirname } from "node:path";
import { decodeError, NacreError } from "@nacre/contracts/plain";
import { hasErrno } from "../base/errno.ts";
import { createPeerReader } from "../auth/peer.ts";
import { FrameSocket, SMALL_BYTES } from "./frame-socket.ts";
import {
  createHello,
  FRAME_TYPES,
  type FrameHeader,
  FrameReader,
  type Hello,
  malformedFrame,
  parseHello,
  parseJsonPayload,
} from "./frames.ts";
import type { Fields } from "./wire-fields.ts";
import { type KeeperCall, KeeperRequests } from "./keeper-requests.ts";

/** As much as the kernel has ready at once; filled and emptied within one callback. */
const READ_BYTES = 256 * 1024;

/** A living keeper answers at once, unless the machine is very busy. */
const MAX_HELLO_MS = 10_000;

/** Acknowledgements can wait: they only let the keeper free memory. */
const ACKNOWLEDGE_MS = 50;

/** In a flood they are sent earlier: the keeper can reuse what it may free. */
const ACKNOWLEDGE_BYTES = 256 * 1024;

/** A peer heard this recently will most likely take the next message. */
const RESPONSIVE_MS = 1000;

export interface PtyListener {
  roomFor(bytes: number): Uint8Array;
  handleOutput(offset: number, bytes: Uint8Array, stream?: "stderr"): void;
  handleEnd(): void;
  handleExit(exit: Fields): void;
  /** The keeper is gone or serves another daemon. */
  handleLoss(error: NacreError): void;
}

export interface KeeperLinkOptions {
  readonly socketPath: string;
  readonly version: string;
  /** A living keeper stopped answering, or answers again. */
  readonly handleSilence?: (isSilent: boolean) => void;
}

/** Nobody listens there. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof NacreError && error.details?.["isAbsent"] === true;

/** Closed without a word: the keeper is about to exit, or overloaded. */
export const isClosing = (error: unknown): boolean =>
  error instanceof NacreError && error.details?.["isClosing"] === true;

/** The daemon's side of the wire. A new connection takes over from the previous one. */
export class KeeperLink implements Disposable {
  /** Resolves with the reason. */
  readonly closed: Promise<NacreError>;
  readonly #socketPath: string;
  readonly #wire: FrameSocket;
  readonly #hello = Promise.withResolvers<Hello>();
  readonly #closed = Promise.withResolvers<NacreError>();
  readonly #requests: KeeperRequests;
  readonly #listeners = new Map<number, PtyListener>();
  readonly #reader = new FrameReader({
    roomFor: (head, bytes) => this.#roomFor(head, bytes),
    handleFrame: (head, payload) => this.#handleFrame(head, payload),
  });
  /** Recorded offsets not yet acknowledged, by PTY. */
  readonly #recorded = new Map<number, number>();
  #recordedBytes = 0;
  /** Why the connection is over, or is about to be. */
  #loss: NacreError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #keeper: Hello | undefined;
  #heardAtMs = 0;
  #isDisposed = false;

  /** `unavailable` where no keeper answers, `unsupported` where it speaks another wire version. */
  static async connect(options: KeeperLinkOptions): Promise<KeeperLink> {
    const link = new KeeperLink(options);
    const timer = setTimeout(() => link.#fail("the keeper does not answer"), MAX_HELLO_MS);
    try {
      link.#keeper = await link.#hello.promise;
      return link;
    } finally {
      clearTimeout(timer);
    }
  }

  private constructor({ socketPath, version, handleSilence }: KeeperLinkOptions) {
    this.#socketPath = socketPath;
    this.#requests = new KeeperRequests({
      // An older keeper answers with an error, which is an answer.
      ping: () => void this.request({ call: "ping" }, () => undefined).catch(() => undefined),
      handleSilence: (isSilent) => handleSilence?.(isSilent),
    });
    this.closed = this.#closed.promise;
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const callback = (bytes: number): boolean => this.#handleRead(buffer.subarray(0, bytes));
    const socket = connect({ path: socketPath, onread: { buffer, callback } });
    this.#wire = new FrameSocket(socket);
    socket.on("connect", () => this.#introduce(version));
    socket.on("error", (error) => {
      // A dying keeper may still have us in its accept queue.
      const isClosing = !this.#keeper && hasErrno(error, "ECONNRESET", "EPIPE");
      const isAbsent = hasErrno(error, "ENOENT", "ECONNREFUSED");
      this.#fail(error.message, { isAbsent, isClosing });
    });
    socket.on("close", () => this.#handleClose());
  }

  get keeper(): Hello {
    return this.#keeper!;
  }

  /** Alive but not answering. */
  get isSilent(): boolean {
    return this.#requests.isSilent;
  }

  /** Heard a moment ago, so that no ping is needed. */
  get isResponsive(): boolean {
    return !this.#loss && !this.isSilent && performance.now() - this.#heardAtMs < RESPONSIVE_MS;
  }

  /** This side ended the connection. */
  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** `take` sees the answer before any later frame; `undo` gets the result of an answer that came too late. */
  request<Result>(
    { pty = 0, ...call }: { readonly call: string; readonly pty?: number } & Fields,
    take: (answer: Fields) => Result,
    undo?: (late: Result) => void,
  ): Promise<Result> {
    const send = (value: number): void =>
      this.#wire.sendJson({ type: FRAME_TYPES.request, pty, value }, call);
    return this.#ask({ send, take, ...(undo ? { undo } : {}) });
  }

  /** Resolves when all of it is taken, rejects when nothing is. */
  write(pty: number, bytes: Uint8Array): Promise<void> {
    // The caller may reuse its bytes at once, but the socket may have to queue them; small ones are copied anyway.
    const own = bytes.byteLength > SMALL_BYTES ? bytes.slice() : bytes;
    const send = (value: number): void =>
      this.#wire.send({ type: FRAME_TYPES.input, pty, value }, own);
    return this.#ask({ send, take: () => undefined });
  }

  register(pty: number, taker: PtyListener): void {
    this.#listeners.set(pty, taker);
  }

  unregister(pty: number): void {
    this.#listeners.delete(pty);
    this.#recorded.delete(pty);
  }

  /** Sent at once: the program may be waiting for it. */
  consume(pty: number, value: number): void {
    this.#wire.send({ type: FRAME_TYPES.consumed, pty, value });
  }

  /** Sent soon; what a killed daemon did not send is found in its recording. */
  acknowledge(pty: number, offset: number, bytes: number): void {
    this.#recorded.set(pty, offset);
    this.#recordedBytes += bytes;
    if (this.#recordedBytes >= ACKNOWLEDGE_BYTES) return this.#sendAcknowledgements();
    this.#timer ??= setTimeout(() => this.#sendAcknowledgements(), ACKNOWLEDGE_MS).unref();
  }

  /** Disconnects; the keeper continues. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#sendAcknowledgements();
    this.#loss ??= new NacreError("unavailable", "the connection to the keeper was closed");
    this.#wire.socket.destroySoon();
  }

  #ask<Result>(asking: KeeperCall<Result>): Promise<Result> {
    return this.#loss ? Promise.reject(this.#loss) : this.#requests.ask(asking);
  }

  #sendAcknowledgements(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [pty, value] of this.#recorded) {
      this.#wire.send({ type: FRAME_TYPES.acknowledge, pty, value });
    }
    this.#recorded.clear();
    this.#recordedBytes = 0;
  }

  #introduce(version: string): void {
    const uid = createPeerReader(dirname(this.#socketPath))(this.#wire.socket)?.uid;
    if (uid !== process.getuid?.()) return this.#fail(`user ${uid ?? "unknown"} listens there`);
    this.#wire.sendJson({ type: FRAME_TYPES.hello, pty: 0, value: 0 }, createHello(version));
  }

  #handleRead(bytes: Uint8Array): boolean {
    try {
      this.#reader.push(bytes);
      this.#requests.noteTraffic();
      this.#heardAtMs = performance.now();
      return true;
    } catch (error) {
      // Another wire version is worth telling from garbage.
      if (error instanceof NacreError && error.code === "unsupported") this.#loss ??= error;
      this.#fail(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  #roomFor({ type, pty }: FrameHeader, bytes: number): Uint8Array | undefined {
    const isOutput = type === FRAME_TYPES.output || type === FRAME_TYPES.errorOutput;
    return isOutput ? this.#listeners.get(pty)?.roomFor(bytes) : undefined;
  }

  #handleFrame({ type, pty, value }: FrameHeader, payload: Uint8Array): void {
    const taker = this.#listeners.get(pty);
    switch (type) {
      case FRAME_TYPES.output:
        return taker?.handleOutput(value, payload);
      case FRAME_TYPES.errorOutput:
        return taker?.handleOutput(value, payload, "stderr");
      case FRAME_TYPES.end:
        return taker?.handleEnd();
      case FRAME_TYPES.exit:
        return taker?.handleExit(parseJsonPayload(payload));
      case FRAME_TYPES.answer:
        return this.#requests.resolve(value, () =>
          payload.length ? parseJsonPayload(payload) : {},
        );
      case FRAME_TYPES.failure:
        return this.#requests.reject(value, () =>
          decodeError(parseJsonPayload(payload), "internal"),
        );
      case FRAME_TYPES.hello:
        return this.#hello.resolve(parseHello(payload));
      case FRAME_TYPES.refusal:
        this.#loss ??= decodeError(parseJsonPayload(payload), "internal");
        this.#wire.socket.destroy();
        return;
      default:
        throw malformedFrame(`the type ${type}`);
    }
  }

  #fail(reason: string, details: Readonly<Record<string, boolean>> = {}): void {
    const message = `the keeper at ${this.#socketPath}: ${reason}`;
    this.#loss ??= new NacreError("unavailable", message, { details });
    this.#wire.socket.destroy();
  }

  #handleClose(): void {
    clearTimeout(this.#timer);
    const details = this.#keeper ? {} : { isClosing: true };
    const loss = (this.#loss ??= new NacreError("unavailable", "the keeper has ended", {
      details,
    }));
    this.#hello.reject(loss);
    this.#requests.close(loss);
    for (const taker of this.#listeners.values()) taker.handleLoss(loss);
    this.#listeners.clear();
    this.#closed.resolve(loss);
  }
}
