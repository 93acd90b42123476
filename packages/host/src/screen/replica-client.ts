import { NacreError, type ScreenFormat } from "@nacre/contracts";
import {
  outputByteLength,
  type SavedScreen,
  type ScreenChange,
  type ScreenPicture,
} from "./screen-change.ts";
import type { ReplicaReport, ScreenWorker, ScreenWorkerClient } from "./screen-worker.ts";
import type { CurrentTask, OpenOrder, ReplyPosition } from "./screen-protocol.ts";

/** Sent but not drawn yet; more would wait in the worker instead of here. */
const WINDOW_BYTES = 512 * 1024;

/** Changes without bytes count, too. */
const MIN_CHANGE_BYTES = 64;

export interface ReplicaClientDeps {
  readonly worker: ScreenWorker;
  handleDrawn?(sequence: number, bytes: number): void;
  handleReply?(place: ReplyPosition, text: string): void;
  handleCheckpoint?(saved: SavedScreen): void;
  /** The saved screen is not a snapshot. */
  handleRefused(message: string): void;
  /** The worker ended; `doing` is the step of this replica that caused it. */
  handleLost(doing: CurrentTask | undefined): void;
}

interface PendingRequest {
  resolve(report: ReplicaReport): void;
  reject(error: Error): void;
}

/** Rejects pending questions to a lost replica. */
export class ReplicaLost extends Error {}

/** A replica in a worker, seen from the main thread: flow-controlled changes, and questions. */
export class ReplicaClient implements ScreenWorkerClient {
  readonly #options: ReplicaClientDeps;
  readonly #id: number;
  readonly #waiting = new Map<number, PendingRequest>();
  readonly #sent: { sequence: number; bytes: number }[] = [];
  #sentBytes = 0;
  #lastRequest = 0;
  #room = Promise.withResolvers<void>();
  #isOver = false;

  constructor(options: ReplicaClientDeps) {
    this.#options = options;
    this.#id = options.worker.attach(this);
  }

  /** Closed, or its worker ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get hasRoom(): boolean {
    return this.#sentBytes < WINDOW_BYTES;
  }

  /** Everything sent is drawn and every question answered. */
  get isIdle(): boolean {
    return this.#sent.length === 0 && this.#waiting.size === 0;
  }

  /** Resolves when another change can be sent, or the replica is over. */
  async waitForRoom(): Promise<void> {
    while (!this.hasRoom && !this.#isOver) await this.#room.promise;
  }

  open(order: Omit<OpenOrder, "kind" | "id">): void {
    const { saved } = order;
    const own = saved && { ...saved, bytes: ownBytes(saved.bytes) };
    this.#options.worker.post({ ...order, saved: own, kind: "open", id: this.#id });
  }

  /** Transfers the bytes, which must belong to nobody else. */
  send(change: ScreenChange): void {
    const bytes = outputByteLength(change);
    this.#sent.push({ sequence: change.sequence, bytes });
    this.#sentBytes += Math.max(bytes, MIN_CHANGE_BYTES);
    const transfer = change.kind === "output" ? [change.bytes.buffer] : [];
    this.#options.worker.post({ kind: "change", id: this.#id, change }, transfer);
  }

  /** Answered after everything sent before. */
  async picture(format: ScreenFormat): Promise<ScreenPicture> {
    const report = await this.#ask((request) =>
      this.#options.worker.post({ kind: "picture", id: this.#id, request, format }),
    );
    if (report.kind !== "picture") throw unexpected(report);
    return report.picture;
  }

  /** Answered after everything sent before. */
  async save(): Promise<SavedScreen> {
    const report = await this.#ask((request) =>
      this.#options.worker.post({ kind: "save", id: this.#id, request }),
    );
    if (report.kind !== "saved") throw unexpected(report);
    return report.saved;
  }

  close(): void {
    this.#options.worker.detach(this.#id);
    this.#end(new ReplicaLost("the screen replica was closed or its worker ended"));
  }

  handleDrawn(sequence: number): void {
    let drawn = this.#sent[0];
    while (drawn && drawn.sequence <= sequence) {
      this.#sent.shift();
      this.#sentBytes -= Math.max(drawn.bytes, MIN_CHANGE_BYTES);
      this.#options.handleDrawn?.(drawn.sequence, drawn.bytes);
      drawn = this.#sent[0];
    }
    if (this.hasRoom) this.#makeRoom();
  }

  handleReport(report: ReplicaReport): void {
    switch (report.kind) {
      case "reply":
        return this.#options.handleReply?.(report.place, report.text);
      case "checkpoint":
        return this.#options.handleCheckpoint?.(report.saved);
      case "refused":
        return this.#options.handleRefused(report.message);
      case "picture":
      case "saved":
        return this.#take(report.request)?.resolve(report);
      case "failed":
        return this.#take(report.request)?.reject(
          new NacreError("internal", `the screen cannot be serialized: ${report.message}`),
        );
    }
  }

  handleLost(doing: CurrentTask | undefined): void {
    // A question that crashed the worker would crash the next one as well.
    const isOwnFault = doing !== undefined && doing.sequence === 0;
    this.#end(
      isOwnFault
        ? new NacreError("internal", "serializing the screen took too long")
        : new ReplicaLost("the screen replica was closed or its worker ended"),
    );
    this.#options.handleLost(doing);
  }

  async #ask(post: (request: number) => void): Promise<ReplicaReport> {
    if (this.#isOver) throw new ReplicaLost("the screen replica was closed or its worker ended");
    const request = ++this.#lastRequest;
    const { promise, resolve, reject } = Promise.withResolvers<ReplicaReport>();
    this.#waiting.set(request, { resolve, reject });
    post(request);
    return promise;
  }

  #take(request: number): PendingRequest | undefined {
    const waiting = this.#waiting.get(request);
    this.#waiting.delete(request);
    return waiting;
  }

  #end(error: Error): void {
    this.#isOver = true;
    this.#makeRoom();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of waiting) one.reject(error);
  }

  #makeRoom(): void {
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }
}

/** A message would carry the whole of a shared buffer. */
const ownBytes = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

/** With bytes of its own. */
export const copyChange = (change: ScreenChange): ScreenChange =>
  change.kind === "output" ? { ...change, bytes: new Uint8Array(change.bytes) } : change;

const unexpected = ({ kind }: ReplicaReport): Error => new Error(`unexpected report ${kind}`);
