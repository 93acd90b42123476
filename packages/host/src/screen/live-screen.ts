import { NacreError, type ScreenFormat, type Size } from "@nacre/contracts";
import { settleWithin } from "../base/settle-within.ts";
import { ReplyDedup } from "./reply-dedup.ts";
import { ChangeQueue, type QueueBudget, ScreenProgress } from "./change-queue.ts";
import { copyChange, ReplicaClient, ReplicaLost } from "./replica-client.ts";
import type { SavedScreen, ScreenChange, ScreenPicture, ScreenSource } from "./screen-change.ts";
import type { ScreenWorker } from "./screen-worker.ts";
import type { CurrentTask, SlicePosition } from "./screen-protocol.ts";

/** A slice that crashed workers this often is skipped from then on. */
const MAX_CRASHES = 2;

/** More crash sites are an attempt to fill our memory. */
const MAX_SITES = 64;

/** Slices of a recording that crash the workers drawing them. */
export class CrashSites {
  readonly #crashes = new Map<string, number>();
  readonly #skips: SlicePosition[] = [];

  get skips(): readonly SlicePosition[] {
    return this.#skips;
  }

  /** True when the slice crashed too often. */
  add({ sequence, offset }: SlicePosition): boolean {
    const name = `${sequence}@${offset}`;
    const deaths = (this.#crashes.get(name) ?? 0) + 1;
    if (this.#crashes.size >= MAX_SITES) this.#crashes.clear();
    this.#crashes.set(name, deaths);
    if (deaths < MAX_CRASHES) return false;
    this.#skips.push({ sequence, offset });
    if (this.#skips.length > MAX_SITES) this.#skips.shift();
    return true;
  }
}

interface PendingQuery {
  /** The last change that must be drawn first; 0: none was written yet. */
  readonly after: number;
  ask(link: ReplicaClient): Promise<void>;
  reject(error: unknown): void;
}

/** Pending questions, each asked between two changes; asked again when the replica is lost. */
class ScreenRequests {
  #requests: PendingQuery[] = [];
  readonly #handleReturn: () => void;

  /** `handleReturn`: a question has to be asked again. */
  constructor(handleReturn: () => void) {
    this.#handleReturn = handleReturn;
  }

  get isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  add<Result>(after: number, ask: (link: ReplicaClient) => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const request = {
      after,
      ask: async (link: ReplicaClient): Promise<void> => resolve(await ask(link)),
      reject,
    };
    this.#insert(request);
    return promise;
  }

  /** Asks what belongs before this change; a caller that had written nothing waits for the present. */
  askBefore(link: ReplicaClient, sequence: number): void {
    this.#askIf(link, ({ after }) => after > 0 && after < sequence);
  }

  /** Asks everything up to a sent change. */
  askThrough(link: ReplicaClient, sequence: number): void {
    this.#askIf(link, ({ after }) => after <= sequence);
  }

  rejectAll(error: Error): void {
    const requests = this.#requests;
    this.#requests = [];
    for (const request of requests) request.reject(error);
  }

  #askIf(link: ReplicaClient, isDue: (request: PendingQuery) => boolean): void {
    if (this.#requests.length === 0) return;
    const due = this.#requests.filter(isDue);
    this.#requests = this.#requests.filter((request) => !due.includes(request));
    for (const request of due) this.#ask(link, request);
  }

  #ask(link: ReplicaClient, request: PendingQuery): void {
    request.ask(link).catch((error: unknown) => {
      if (!(error instanceof ReplicaLost)) return request.reject(error);
      this.#insert(request);
      this.#handleReturn();
    });
  }

  #insert(request: PendingQuery): void {
    const at = this.#requests.findIndex(({ after }) => after > request.after);
    this.#requests.splice(at === -1 ? this.#requests.length : at, 0, request);
  }
}

/** Lines above the screen; each costs about 1 KB of memory at 80 columns. */
export const DEFAULT_SCROLLBACK_LINES = 200;

/** How a live screen begins. */
export interface OpenScreen {
  readonly size: Size;
  readonly source: ScreenSource;
  /** Gets what is to be typed into the terminal as the answer to a query; must not throw. */
  handleReply(reply: Uint8Array<ArrayBuffer>): void;
  /** Gets the screen as it was drawn now and then; in a flood that may be long after it was written. */
  handleCheckpoint?(saved: SavedScreen): void;
  /** Lines above the screen that are kept; 200 when absent. */
  readonly scrollback?: number;
  /** Queries up to and including this sequence were answered before, by another process; none when absent. */
  readonly answeredThrough?: number;
  /** Whether the first change that is written is the first there is; false when absent, and the source is read. */
  readonly isNew?: boolean;
}

interface LiveScreenDeps {
  readonly worker: ScreenWorker;
  /** What may wait for all screens. */
  readonly budget: QueueBudget;
  /** Gives out emulators; `resume` is called when there is one. */
  readonly pool: {
    acquire(screen: LiveScreen): void;
    release(screen: LiveScreen): void;
    /** A screen has nothing to do at the moment. */
    handleIdle(): void;
  };
  /** It is over. */
  handleDisposed(): void;
}

/** A source that cannot be read is tried again after this long. */
const RETRY_MS = 1_000;

/** `parked`: no replica. `behind`: changes come from the source. `live`: they come as they are written. */
type Phase = "parked" | "behind" | "live" | "closed";

/** The screen of a terminal: accepts changes without backpressure and draws them a little later. */
export class LiveScreen implements Disposable {
  readonly #options: OpenScreen;
  readonly #deps: LiveScreenDeps;
  readonly #replies: ReplyDedup;
  readonly #requests = new ScreenRequests(() => this.#advance());
  readonly #queue: ChangeQueue;
  readonly #crashSites = new CrashSites();
  readonly #progress = new ScreenProgress();
  #phase: Phase = "parked";
  #replica: ReplicaClient | undefined;
  #saved: SavedScreen | undefined;
  /** Saved screen and queue together are complete. */
  #isComplete: boolean;
  #isStartGood = true;
  #isFailing = false;
  #isAdvancing = false;
  #usedAt = performance.now();
  #uses = 0;

  constructor(options: OpenScreen, context: LiveScreenDeps) {
    this.#options = options;
    this.#deps = context;
    this.#isComplete = options.isNew ?? false;
    this.#queue = new ChangeQueue(context.budget);
    this.#replies = new ReplyDedup(options.answeredThrough ?? 0, (reply) =>
      options.handleReply(reply),
    );
  }

  /** Written but not drawn yet. */
  get lagBytes(): number {
    return this.#progress.lagBytes;
  }

  /** Last write or look, by `performance.now()`. */
  get usedAt(): number {
    return this.#usedAt;
  }

  /** Whether it was disposed of, and draws nothing any more. */
  get isClosed(): boolean {
    return this.#phase === "closed";
  }

  /** Takes a change, whose bytes stay the caller's; never waits and never throws. */
  write(change: ScreenChange): void {
    if (this.#phase === "closed") return;
    this.#noteUse();
    if (!this.#progress.noteWritten(change)) return;
    if (!this.#queue.isDropping) this.#queue.push(copyChange(change));
    if (this.#isFailing) return;
    // Dropped changes must not count as drawn meanwhile.
    if (this.#queue.isDropping) this.#advance();
    else this.#advanceSoon();
  }

  /** Includes every change written before this call. */
  picture(format: ScreenFormat): Promise<ScreenPicture> {
    return this.#request((link) => link.picture(format));
  }

  /** What is drawn by now; in a flood, recent changes may be missing. */
  glance(format: ScreenFormat): Promise<ScreenPicture> {
    return this.#request((link) => link.picture(format), Math.min(1, this.#progress.written));
  }

  /** Like `picture`, but after `withinMs` returns what is drawn by then, with the sequence of its last change. */
  async pictureWithin(format: ScreenFormat, withinMs: number): Promise<ScreenPicture> {
    const whole = this.picture(format);
    try {
      const inTime = await settleWithin(whole, withinMs);
      const link = this.#replica;
      if (inTime || !link) return inTime ?? (await whole);
      // The emulator is asked for what it has; changes still being read from the recording are not waited for.
      const drawn = this.#deps.worker.keepAlive(link.picture(format)).catch(() => whole);
      return await Promise.race([whole, drawn]);
    } finally {
      // Nobody awaits the loser any more.
      whole.catch(() => undefined);
    }
  }

  /** Includes every change written before this call. */
  async save(): Promise<SavedScreen> {
    const saved = await this.#request((link) => link.save());
    this.#keep(saved);
    return saved;
  }

  /** Everything written is drawn, and nobody waits for a picture. */
  get isIdle(): boolean {
    return this.#phase === "live" && this.#queue.isEmpty && this.#replica?.isIdle === true;
  }

  /** Releases its emulator if it is idle; true when it did. */
  async suspend(): Promise<boolean> {
    const link = this.#replica;
    const uses = this.#uses;
    if (!link || !this.isIdle) return false;
    const saved = await this.#deps.worker.keepAlive(link.save()).catch(() => undefined);
    if (!saved || link !== this.#replica || uses !== this.#uses || !this.isIdle) return false;
    this.#saved = saved;
    this.#isComplete = true;
    this.#phase = "parked";
    this.#closeReplica();
    return true;
  }

  /** Starts a replica: from the queue where nothing is missing, else from the source. */
  resume(): void {
    const link = this.#openReplica();
    if (this.#isComplete && !this.#queue.isDropping) {
      this.#open(link, this.#saved);
      this.#phase = "live";
      this.#pump();
    } else this.#follow(link, this.#build(link));
  }

  [Symbol.dispose](): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#closeReplica();
    this.#queue.drop();
    this.#requests.rejectAll(closedError());
    this.#deps.handleDisposed();
  }

  #noteUse(): void {
    this.#usedAt = performance.now();
    this.#uses++;
  }

  async #request<Result>(
    ask: (link: ReplicaClient) => Promise<Result>,
    after = this.#progress.written,
  ): Promise<Result> {
    this.#noteUse();
    this.#isFailing = false;
    const answer = this.#requests.add(after, ask);
    this.#advance();
    try {
      return await this.#deps.worker.keepAlive(answer);
    } finally {
      if (this.isIdle) this.#deps.pool.handleIdle();
    }
  }

  /** Waking the worker takes a moment; the caller of `write` need not wait for that. */
  #advanceSoon(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    setImmediate(() => {
      this.#isAdvancing = false;
      if (!this.#isFailing) this.#advance();
    });
  }

  /** Called whenever something may have changed. */
  #advance(): void {
    switch (this.#phase) {
      case "parked":
        return this.#deps.pool.acquire(this);
      case "behind":
        return undefined;
      case "live":
        return this.#queue.isDropping ? this.#fallBehind() : this.#pump();
      case "closed":
        return this.#requests.rejectAll(closedError());
    }
  }

  async #build(link: ReplicaClient): Promise<void> {
    const { source } = this.#options;
    const start = this.#saved ?? (this.#isStartGood ? await source.start() : undefined);
    if (this.#replica !== link) return;
    this.#open(link, start);
    await this.#catchUp(link);
  }

  /** Draws from the source until that meets the queue. */
  async #catchUp(link: ReplicaClient): Promise<void> {
    do {
      // From here on every change is either read from the source below or queued.
      this.#queue.keep();
      for await (const change of this.#options.source.changesAfter(this.#progress.sent)) {
        if (!link.hasRoom) await link.waitForRoom();
        if (this.#replica !== link) return;
        if (change.sequence <= this.#progress.sent) continue;
        this.#requests.askBefore(link, change.sequence);
        this.#send(link, copyChange(change));
      }
      if (this.#replica !== link) return;
    } while (this.#queue.isDropping);
    this.#queue.dropThrough(this.#progress.sent);
    this.#phase = "live";
    this.#pump();
  }

  #fallBehind(): void {
    const link = this.#replica;
    if (!link) return;
    this.#phase = "behind";
    this.#follow(link, this.#catchUp(link));
  }

  /** A failing source leaves the screen parked until the next attempt. */
  #follow(link: ReplicaClient, work: Promise<void>): void {
    work.catch((cause: unknown) => {
      if (this.#replica !== link) return;
      this.#isFailing = true;
      this.#abandon();
      this.#queue.drop();
      this.#requests.rejectAll(
        new NacreError("unavailable", "the recording of this screen cannot be read", { cause }),
      );
      setTimeout(() => this.#retry(), RETRY_MS).unref();
    });
  }

  #retry(): void {
    this.#isFailing = false;
    if (this.#phase === "parked" && !this.#progress.isDone) this.#advance();
  }

  #pump(): void {
    const link = this.#replica;
    while (link && this.#phase === "live") {
      this.#requests.askThrough(
        link,
        this.#queue.isEmpty ? this.#progress.written : this.#progress.sent,
      );
      const change = link.hasRoom ? this.#queue.shift() : undefined;
      if (!change) return;
      this.#send(link, change);
    }
  }

  #send(link: ReplicaClient, change: ScreenChange): void {
    this.#progress.noteSent(change.sequence);
    link.send(change);
  }

  #openReplica(): ReplicaClient {
    this.#phase = "behind";
    const link: ReplicaClient = new ReplicaClient({
      worker: this.#deps.worker,
      handleDrawn: (sequence, bytes) => this.#noteDrawn(sequence, bytes),
      handleReply: (place, text) => this.#replies.offer(place, text),
      handleCheckpoint: (saved) => {
        this.#keep(saved);
        this.#options.handleCheckpoint?.(saved);
      },
      handleRefused: () => this.#rebuild(() => this.#refuseSaved()),
      handleLost: (doing) => this.#rebuild(() => this.#noteCrash(doing)),
    });
    this.#replica = link;
    return link;
  }

  #open(link: ReplicaClient, saved: SavedScreen | undefined): void {
    const { size, scrollback = DEFAULT_SCROLLBACK_LINES } = this.#options;
    this.#progress.noteSent(saved?.sequence ?? 0);
    link.open({ size, scrollback, saved, isLive: true, skips: this.#crashSites.skips });
  }

  #closeReplica(): void {
    const link = this.#replica;
    this.#replica = undefined;
    link?.close();
    this.#deps.pool.release(this);
  }

  #abandon(): void {
    this.#phase = "parked";
    this.#isComplete = false;
    this.#closeReplica();
  }

  #rebuild(prepare: () => void): void {
    prepare();
    this.#abandon();
    this.#advance();
  }

  #noteCrash(doing: CurrentTask | undefined): void {
    // Sequence 0 means that loading the saved screen, not output, took too long.
    if (doing && this.#crashSites.add(doing) && doing.sequence === 0) this.#refuseSaved();
  }

  /** Discards the saved screen and draws from the beginning. */
  #refuseSaved(): void {
    if (this.#saved) this.#saved = undefined;
    else this.#isStartGood = false;
  }

  #noteDrawn(sequence: number, bytes: number): void {
    this.#replies.close(sequence);
    this.#progress.noteDrawn(sequence, bytes);
    if (this.#phase === "live") this.#pump();
    if (this.isIdle) this.#deps.pool.handleIdle();
  }

  #keep(saved: SavedScreen): void {
    if (!this.#saved || saved.sequence >= this.#saved.sequence) this.#saved = saved;
  }
}

const closedError = (): NacreError => new NacreError("unavailable", "the screen was closed");
