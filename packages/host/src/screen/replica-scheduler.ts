import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { ReplyRateLimit } from "./reply-dedup.ts";
import { collectGarbage } from "../base/collect-garbage.ts";
import { ScreenReplica } from "./screen-replica.ts";
import type { EmulatorHooks } from "./emulator.ts";
import {
  type DrawnChange,
  type OpenOrder,
  type QueryOrder,
  type ReplicaOrder,
  type ReplyPosition,
  type ScreenOrder,
  type ScreenReport,
  type ScreenWorkerData,
  WorkerHeartbeat,
} from "./screen-protocol.ts";
import { countPlainLines, type PlainLines } from "./drop-scrolled-out.ts";

/** A nice value: drawing may be late, recording a key must not be. */
const SCREEN_PRIORITY = 10;

/** Makes this thread a screen worker. */
export function serveScreens(hooks: Pick<EmulatorHooks, "prepare"> = {}): void {
  const port = parentPort;
  if (!port) throw new Error("screens are drawn in a thread of their own");
  // On Linux this affects the calling thread alone.
  if (process.platform === "linux") setPriority(SCREEN_PRIORITY);
  const { heartbeat } = workerData as ScreenWorkerData;
  const report = (one: ScreenReport): void => port.postMessage(one);
  const table = new ReplicaScheduler({
    heartbeat: new WorkerHeartbeat(heartbeat),
    report,
    ...hooks,
  });
  port.on("message", (order: ScreenOrder) => table.enqueue(order));
  report({ kind: "ready", threadId: ownThreadId() });
}

/** gettid, where procfs tells. */
function ownThreadId(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    // Without it, the wall clock is used.
    return undefined;
  }
}

/** Less is not a flood and is drawn at once. */
const LARGE_BYTES = 16 * 1024;

const OTHER: PlainLines = { lines: 0, isPlain: false };

interface QueuedOrder {
  readonly order: ReplicaOrder;
  /** Computed on demand. */
  plain?: PlainLines;
}

/** Orders of one replica, first in first out. */
export class OrderQueue {
  #queued: QueuedOrder[] = [];

  get length(): number {
    return this.#queued.length;
  }

  get isEmpty(): boolean {
    return this.#queued.length === 0;
  }

  push(order: ReplicaOrder): void {
    this.#queued.push({ order });
  }

  /** The next order and how many plain lines follow it, up to `maxLines`. */
  shift(maxLines: number): { readonly order: ReplicaOrder; readonly followed: number } | undefined {
    const first = this.#queued.shift();
    if (!first) return undefined;
    const isPlain = orderByteLength(first.order) >= LARGE_BYTES && classify(first).isPlain;
    return { order: first.order, followed: isPlain ? this.#countLines(maxLines) : 0 };
  }

  /** Whether only a flood is queued, of which nothing could be dropped yet. */
  isWorthWaiting(maxLines: number): boolean {
    const isFlood = this.#queued.every((one) => orderByteLength(one.order) >= LARGE_BYTES);
    if (!isFlood || !this.#queued.every((one) => classify(one).isPlain)) return false;
    const [first] = this.#queued;
    const neededLines = maxLines + (first ? classify(first).lines : 0);
    return this.#countLines(neededLines) < neededLines;
  }

  #countLines(maxLines: number): number {
    let count = 0;
    for (const one of this.#queued) {
      const { lines, isPlain } = classify(one);
      count += lines;
      if (!isPlain || count >= maxLines) break;
    }
    return count;
  }
}

const orderByteLength = (order: ReplicaOrder): number =>
  order.kind === "change" && order.change.kind === "output" ? order.change.bytes.byteLength : 0;

function classify(queued: QueuedOrder): PlainLines {
  const { order } = queued;
  const isOutput = order.kind === "change" && order.change.kind === "output";
  queued.plain ??= isOutput ? countPlainLines(order.change.bytes) : OTHER;
  return queued.plain;
}

/** Work between two looks at new orders. */
const TURN_MS = 4;

/** Work for one screen before the next one's turn. */
const STEP_MS = 2;

/** A flood waits this long for more, most of which need not be drawn; a question ends the wait. */
const FLOOD_MS = 50;

/** A slice pauses by itself after every costly sequence, so a longer one has met a fault. */
const SLICE_LIMIT_MS = 100;

/** Snapshots, renderings and resizes of the largest screens cannot be split. */
const TASK_LIMIT_MS = 3_000;

/** Idle time before the memory of closed replicas is collected, which itself takes a while. */
const QUIET_MS = 10_000;

/** The same after so many closed that it is worth it sooner. */
const SHORT_QUIET_MS = 500;
const MANY_CLOSED = 32;

export interface ReplicaSchedulerDeps {
  readonly heartbeat: WorkerHeartbeat;
  readonly report: (report: ScreenReport) => void;
  readonly prepare?: EmulatorHooks["prepare"];
}

interface ReplicaTask {
  /** Undefined until its turn comes, and when it cannot be made. */
  replica: ScreenReplica | undefined;
  isLive: boolean;
  readonly orders: OrderQueue;
  isDrawing: boolean;
  /** Runs while a flood waits; afterwards the flood is drawn without another wait. */
  flood: NodeJS.Timeout | undefined;
  isFloodDue: boolean;
}

/** All replicas of a worker; each gets a small slice in turn, so that a busy one does not delay the others. */
export class ReplicaScheduler {
  readonly #options: ReplicaSchedulerDeps;
  readonly #tasks = new Map<number, ReplicaTask>();
  /** Those with work, in order of their turns. */
  readonly #busy = new Set<number>();
  #drawn: DrawnChange[] = [];
  #isScheduled = false;
  #closed = 0;
  #quiet: NodeJS.Timeout | undefined;

  constructor(options: ReplicaSchedulerDeps) {
    this.#options = options;
  }

  enqueue(order: ScreenOrder): void {
    const { id } = order;
    let task = this.#tasks.get(id);
    if (!task) {
      if (order.kind !== "open") return this.#options.heartbeat.countDone();
      task = {
        replica: undefined,
        isLive: order.isLive,
        orders: new OrderQueue(),
        isDrawing: false,
        flood: undefined,
        isFloodDue: false,
      };
      this.#tasks.set(id, task);
    }
    if (order.kind === "close") return this.#close(id, task);
    task.orders.push(order);
    this.#busy.add(id);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    const end = performance.now() + TURN_MS;
    while (performance.now() < end) {
      const [id] = this.#busy;
      if (id === undefined) break;
      this.#busy.delete(id);
      if (this.#step(id)) this.#busy.add(id);
    }
    this.#reportDrawn();
    if (this.#busy.size > 0) this.#schedule();
    if (this.#closed > 0) this.#collectLater();
  }

  #reportDrawn(): void {
    if (this.#drawn.length > 0) this.#options.report({ kind: "drawn", all: this.#drawn });
    this.#drawn = [];
  }

  #collectLater(): void {
    clearTimeout(this.#quiet);
    const quietMs = this.#closed < MANY_CLOSED ? QUIET_MS : SHORT_QUIET_MS;
    this.#quiet = setTimeout(() => {
      this.#closed = 0;
      void collectGarbage();
    }, quietMs).unref();
  }

  /** One small piece of work; true when there is more. */
  #step(id: number): boolean {
    const task = this.#tasks.get(id);
    if (!task) return false;
    if (task.isDrawing) this.#draw(id, task);
    else if (this.#waitsForMore(id, task)) return false;
    else {
      const next = task.orders.shift(task.replica?.lines ?? 0);
      if (next) this.#begin(task, next.order, next.followed);
    }
    if (task.orders.isEmpty) task.isFloodDue = false;
    return task.isDrawing || !task.orders.isEmpty;
  }

  #waitsForMore(id: number, task: ReplicaTask): boolean {
    const { replica, orders } = task;
    if (task.isFloodDue || !replica || !orders.isWorthWaiting(replica.lines)) return false;
    task.flood ??= setTimeout(() => {
      task.flood = undefined;
      task.isFloodDue = true;
      this.#busy.add(id);
      this.#schedule();
    }, FLOOD_MS);
    return true;
  }

  #begin(task: ReplicaTask, order: ReplicaOrder, followed: number): void {
    const { heartbeat } = this.#options;
    switch (order.kind) {
      case "open":
        this.#open(task, order);
        return heartbeat.countDone();
      case "change":
        if (!task.replica) return heartbeat.countDone();
        task.replica.begin(order.change, followed);
        task.isDrawing = true;
        return this.#draw(order.id, task);
      case "picture":
      case "save":
        this.#answer(task, order);
        return heartbeat.countDone();
    }
  }

  /** At once: nobody waits for what was still to be drawn. */
  #close(id: number, task: ReplicaTask): void {
    task.replica?.[Symbol.dispose]();
    clearTimeout(task.flood);
    this.#tasks.delete(id);
    this.#busy.delete(id);
    this.#closed++;
    const left = task.orders.length + Number(task.isDrawing);
    // Counts the close order itself, too.
    for (let count = 0; count <= left; count++) this.#options.heartbeat.countDone();
    this.#collectLater();
  }

  #open(task: ReplicaTask, order: OpenOrder): void {
    const { id, isLive } = order;
    const { heartbeat, report, prepare } = this.#options;
    const limit = new ReplyRateLimit();
    const reply = (place: ReplyPosition, text: string): void => {
      if (limit.allows(performance.now())) report({ kind: "reply", id, place, text });
    };
    const handleRecovery = (): void => heartbeat.extendLimit(TASK_LIMIT_MS);
    this.#work({ id, limitMs: TASK_LIMIT_MS }, () => {
      try {
        const answers = isLive ? { reply } : {};
        task.replica = new ScreenReplica({ ...order, ...answers, prepare, handleRecovery });
      } catch (error) {
        report({ kind: "refused", id, message: describeError(error) });
      }
    });
  }

  #draw(id: number, task: ReplicaTask): void {
    const { replica } = task;
    if (!replica) return;
    let isDone = false;
    const limitMs = replica.isPausable ? SLICE_LIMIT_MS : TASK_LIMIT_MS;
    this.#work({ id, limitMs, ...replica.position }, () => {
      isDone = replica.step(performance.now() + STEP_MS);
    });
    if (!isDone) return;
    task.isDrawing = false;
    this.#drawn.push({ id, sequence: replica.position.sequence });
    this.#options.heartbeat.countDone();
    if (replica.isCheckpointDue(task.orders.isEmpty)) this.#checkpoint(id, task, replica);
  }

  #checkpoint(id: number, { isLive }: ReplicaTask, drawing: ScreenReplica): void {
    this.#work({ id, limitMs: TASK_LIMIT_MS }, () => {
      const saved = drawing.save();
      if (isLive) this.#options.report({ kind: "checkpoint", id, saved });
    });
  }

  #answer({ replica }: ReplicaTask, order: QueryOrder): void {
    const { id, request } = order;
    const { report } = this.#options;
    // A reply implies that everything before it is drawn.
    this.#reportDrawn();
    this.#work({ id, limitMs: TASK_LIMIT_MS }, () => {
      try {
        if (!replica) throw new Error("there is no drawing");
        if (order.kind === "save") report({ kind: "saved", id, request, saved: replica.save() });
        else report({ kind: "picture", id, request, picture: replica.picture(order.format) });
      } catch (error) {
        report({ kind: "failed", id, request, message: describeError(error) });
      }
    });
  }

  /** Announces the step in the heartbeat while it runs. */
  #work({ id, limitMs, sequence = 0, offset = 0 }: TimedStep, work: () => void): void {
    const { heartbeat } = this.#options;
    heartbeat.begin({ id, limitMs, sequence, offset });
    try {
      work();
    } finally {
      heartbeat.end();
    }
  }
}

interface TimedStep {
  readonly id: number;
  readonly limitMs: number;
  readonly sequence?: number;
  readonly offset?: number;
}

const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
