import {
  type Caller,
  type Claim,
  type ClaimEpoch,
  type ClaimReading,
  type ClaimReason,
  type ClaimState,
  type ClientId,
  type ControlRequest,
  NacreError,
} from "@nacre/contracts";
import {
  backgroundOf,
  type ClaimChange,
  claimHeldError,
  claimOf,
  HOST_CLAIM,
  isHolder,
  isSameClaim,
  moveClaim,
  nextClaim,
  requireWriteScope,
} from "./claim-rules.ts";
import {
  type ControlQuestion,
  ControlRequests,
  type PendingControlRequest,
} from "./control-requests.ts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import { SerialQueue } from "../base/serial-queue.ts";

/** Of more concurrent changes all but one would be refused anyway. */
export const MAX_WAITING_CHANGES = 64;

interface ClaimTurn {
  /** Absent: the host itself. */
  readonly by?: Caller;
  /** Why somebody else changed the claim since this caller asked; a takeover outweighs other reasons. */
  overtakenBy?: ClaimReason;
}

/** Serialises claim changes in order of arrival. */
class ClaimQueue implements Disposable {
  readonly #waiting = new Set<ClaimTurn>();
  readonly #queue = new SerialQueue();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** When the queue is full, only operators and the host get in. */
  async run<Result>(
    by: Caller | undefined,
    change: (turn: ClaimTurn) => Promise<Result>,
  ): Promise<Result> {
    this.checkOpen();
    const mayAlwaysWait = by === undefined || by.scope === "operator";
    if (!mayAlwaysWait && this.#waiting.size >= MAX_WAITING_CHANGES) {
      throw new NacreError("limit_reached", `${this.#waiting.size} changes of this claim wait`, {
        suggestion: "Wait until the present ones are done.",
      });
    }
    const turn: ClaimTurn = by === undefined ? {} : { by };
    this.#waiting.add(turn);
    return await this.#queue.run(async () => {
      try {
        this.checkOpen();
        return await change(turn);
      } finally {
        this.#waiting.delete(turn);
      }
    });
  }

  /** Tells waiting callers that this turn changed the claim, except the one who did it. */
  overtake(changed: ClaimTurn, reason: ClaimReason): void {
    for (const turn of this.#waiting) {
      if (isSameCaller(turn.by, changed.by) || turn.overtakenBy === "takeover") continue;
      turn.overtakenBy = reason;
    }
  }

  checkOpen(): void {
    if (!this.#isClosed) return;
    throw new NacreError("terminal_exited", "the program of this terminal has ended");
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
  }
}

const isSameCaller = (one: Caller | undefined, other: Caller | undefined): boolean =>
  one?.id === other?.id && one?.clientId === other?.clientId && one?.session === other?.session;

/** Hand-backs never go through more holders. */
export const MAX_EARLIER_CLAIMS = 16;

/** Previous holders, newest last, so that the claim can be handed back. */
class ClaimHistory {
  readonly first: Claim;
  #claims: readonly Claim[] = [];

  constructor(first: Claim) {
    this.first = first;
  }

  /** The host wants nothing back, so it is not kept. */
  add(claim: Claim): void {
    if (isSameClaim(claim, HOST_CLAIM)) return;
    this.#claims = [...this.#claims, claim].slice(-MAX_EARLIER_CLAIMS);
  }

  /** Whom to hand the present claim back to. */
  before(present: Claim): Claim | undefined {
    return this.#claims.findLast((claim) => !isSameClaim(claim, present));
  }

  /** The claim went back to this holder; those after it are forgotten. */
  dropFrom(claim: Claim): void {
    const index = this.#claims.findLastIndex((earlier) => isSameClaim(earlier, claim));
    this.#claims = index < 0 ? [] : this.#claims.slice(0, index);
  }

  /** Who drives when the holding client is gone for good: never a client that did not hold the claim before. */
  fallbackFrom(vanished: Claim): { readonly claim: Claim; readonly earlier?: Claim } {
    const earlier = this.#claims.findLast((claim) => claim.kind === "session");
    if (earlier !== undefined) return { claim: backgroundOf(earlier), earlier };
    if (this.first.kind === "session") return { claim: backgroundOf(this.first) };
    return { claim: isSameClaim(this.first, vanished) ? HOST_CLAIM : this.first };
  }
}

/** How long a client may be gone before it loses its claim: longer than a page takes to reload. */
export const CLIENT_GRACE_MS = 10_000;

/** A client that left may still get a claim afterwards; the oldest are forgotten. */
const MAX_GONE_CLIENTS = 256;

type ClientClaim = Extract<Claim, { kind: "client" }>;

interface ClientGraceOptions {
  readonly graceMs: number;
  readonly clock: Clock;
  /** The holding client was gone for the whole grace time. */
  vanished(claim: ClientClaim): void;
}

/** Measures how long the holding client is gone. */
class ClientGrace implements Disposable {
  readonly #options: ClientGraceOptions;
  readonly #gone = new Set<ClientId>();
  #claim: Claim;
  #cancel: (() => void) | undefined;

  constructor(claim: Claim, options: ClientGraceOptions) {
    this.#claim = claim;
    this.#options = options;
  }

  isGone(clientId: ClientId): boolean {
    return this.#gone.has(clientId);
  }

  /** Leaving twice does not restart the grace time. */
  leave(clientId: ClientId): void {
    if (this.#gone.has(clientId)) return;
    this.#gone.add(clientId);
    const [oldest] = this.#gone;
    if (oldest !== undefined && this.#gone.size > MAX_GONE_CLIENTS) this.#gone.delete(oldest);
    if (this.#claim.kind === "client" && this.#claim.clientId === clientId) this.watch(this.#claim);
  }

  comeBack(clientId: ClientId): void {
    this.#gone.delete(clientId);
    if (this.#claim.kind === "client" && this.#claim.clientId === clientId) this.watch(this.#claim);
  }

  /** Watches this claim instead; its client gets the whole grace time. */
  watch(claim: Claim): void {
    this.#claim = claim;
    this[Symbol.dispose]();
    if (claim.kind !== "client" || !this.#gone.has(claim.clientId)) return;
    const { clock, graceMs } = this.#options;
    this.#cancel = clock.after(graceMs, () => this.#options.vanished(claim));
  }

  [Symbol.dispose](): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** What a claim holder reports to its terminal. */
export interface ClaimLog {
  /** Records a change before it holds; a failure means nothing changes. */
  record(change: ClaimChange): Promise<void>;
  /** Without a change: the requests for control changed. */
  changed(change?: ClaimChange): void;
  /** A change that no caller waits for could not be recorded; it is retried. */
  failed(error: unknown): void;
}

export interface ClaimHolderOptions {
  /** Already recorded. */
  readonly state: ClaimState;
  /** The claim at creation; defaults to `state`. */
  readonly first?: Claim;
  readonly log: ClaimLog;
  readonly graceMs?: number;
  readonly clock?: Clock;
}

export interface ClaimRequest {
  /** Defaults to the caller's own claim. */
  readonly wanted?: Claim | undefined;
  readonly by: Caller;
  readonly note?: string | undefined;
  /** The epoch the caller saw; `conflict` when the claim moved since. */
  readonly epoch?: ClaimEpoch | undefined;
  /** Whether an operator may take it from its holder; default true. */
  readonly takeover?: boolean | undefined;
}

export interface ControlReply {
  readonly requestId: string;
  readonly by: Caller;
  readonly grant: boolean;
  readonly note?: string | undefined;
}

/** The claim of one terminal: changed one at a time, recorded before it counts, never without a holder. */
export class ClaimHolder implements Disposable {
  readonly #log: ClaimLog;
  readonly #clock: Clock;
  readonly #grace: ClientGrace;
  readonly #history: ClaimHistory;
  readonly #requests: ControlRequests;
  readonly #queue = new ClaimQueue();
  #state: ClaimState;
  /** The last change; absent when it happened before this host started. */
  #change: ClaimChange | undefined;
  #keptFor: ClientClaim | undefined;
  #recording: Promise<unknown> | undefined;

  constructor({ state, first, log, graceMs, clock }: ClaimHolderOptions) {
    this.#state = state;
    this.#log = log;
    this.#clock = clock ?? SYSTEM_CLOCK;
    this.#grace = new ClientGrace(state.claim, {
      graceMs: graceMs ?? CLIENT_GRACE_MS,
      clock: this.#clock,
      vanished: (claim) => void this.#resolve(claim),
    });
    this.#history = new ClaimHistory(first ?? state.claim);
    this.#requests = new ControlRequests(this.#clock, () => log.changed());
  }

  get state(): ClaimState {
    return this.#state;
  }

  /** The present claim as this caller sees it. */
  readFor(caller: Caller): ClaimReading {
    const { claim } = this.#state;
    const { reason, by, note } = this.#change ?? {};
    // An operator may act as the host; that is not a takeover.
    const isHost = isSameClaim(claim, HOST_CLAIM);
    return {
      ...this.#state,
      holder: isHost ? "host" : isHolder(claim, caller) ? "you" : "other",
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
      ...noteField(note),
    };
  }

  /** The claim at creation. */
  get first(): Claim {
    return this.#history.first;
  }

  /** Requests for control that are still open. */
  get requests(): readonly ControlRequest[] {
    return this.#requests.pending;
  }

  /**
   * True once no change is in flight: a check made in the same tick stays valid until the next await. False when that
   * takes longer than `maxMs`.
   */
  async settled(maxMs?: number): Promise<boolean> {
    if (this.#recording === undefined) return true;
    const late = Promise.withResolvers<false>();
    const cancel =
      maxMs === undefined ? undefined : this.#clock.after(maxMs, () => late.resolve(false));
    let isSettled: unknown = true;
    while (this.#recording !== undefined && isSettled !== false) {
      isSettled = await Promise.race([this.#recording, late.promise]);
    }
    cancel?.();
    return isSettled !== false;
  }

  /** Of concurrent callers one succeeds. */
  move({ by, wanted = claimOf(by), note, epoch, takeover }: ClaimRequest): Promise<ClaimState> {
    return this.#queue.run(by, async (turn) => {
      this.#checkEpoch(epoch);
      const [current, keptFor] = [this.#state, this.#keptFor];
      const now = this.#clock.now();
      const change = moveClaim({ current, wanted, by, now, keptFor, takeover });
      if (change === undefined) return current;
      this.#refuseLate(turn, change.reason === "takeover");
      return this.#commit(turn, { ...change, ...noteField(note) }, () => {
        const isTaken = change.reason === "handover" || change.reason === "takeover";
        if (isTaken) this.#history.add(current.claim);
      });
    });
  }

  /** Asks the holder for control; resolves with its answer or, at the deadline, without one. */
  requestControl(question: ControlQuestion): PendingControlRequest {
    const { by } = question;
    this.#queue.checkOpen();
    requireWriteScope(by, "ask for control");
    if (isHolder(this.#state.claim, by)) {
      throw new NacreError("conflict", `caller ${by.id} already holds this terminal`, {
        suggestion: "Continue: the terminal is yours to drive.",
      });
    }
    return this.#requests.ask(question);
  }

  /** Only the holder and operators may answer. */
  async answer({ requestId, by, grant, note }: ControlReply): Promise<ClaimState> {
    const said = { by: by.id, ...noteField(note) };
    this.#checkMayAnswer(by);
    if (!grant) {
      this.#requests.deny(requestId, said);
      return this.#state;
    }
    return this.#queue.run(by, async (turn) => {
      this.#checkMayAnswer(by);
      const { claim } = this.#requests.get(requestId);
      this.#refuseLate(turn, by.scope === "operator");
      const current = this.#state;
      const state = nextClaim(current, claim, this.#clock.now());
      return this.#requests.hold(requestId, () =>
        this.#commit(turn, { state, reason: "granted", ...said }, () =>
          this.#history.add(current.claim),
        ),
      );
    });
  }

  /** Hands the claim back to whom it was taken from; only its holder can. */
  handBack({ by, note }: Pick<ClaimRequest, "by" | "note">): Promise<ClaimState> {
    return this.#queue.run(by, async (turn) => {
      const { claim } = this.#state;
      requireWriteScope(by, "hand it back");
      if (!isHolder(claim, by)) throw claimHeldError(claim, "only the holder can hand it back");
      this.#refuseLate(turn, false);
      const earlier = this.#history.before(claim);
      if (earlier === undefined) {
        throw new NacreError("conflict", "this terminal was not taken from anybody", {
          suggestion: "Name who should hold it, and hand it over.",
        });
      }
      const state = nextClaim(this.#state, earlier, this.#clock.now());
      const change: ClaimChange = { state, reason: "handover", by: by.id, ...noteField(note) };
      return this.#commit(turn, change, () => this.#history.dropFrom(earlier));
    });
  }

  /** A holder keeps its claim for the grace time. */
  clientGone(clientId: ClientId): void {
    if (!this.#queue.isClosed) this.#grace.leave(clientId);
  }

  /** A claim that the host kept for this client returns to it. */
  clientBack(clientId: ClientId): void {
    if (this.#queue.isClosed) return;
    this.#grace.comeBack(clientId);
    if (this.#keptFor?.clientId === clientId) void this.#giveBack(this.#keptFor);
  }

  /** Open requests end as `closed`. */
  [Symbol.dispose](): void {
    this.#queue[Symbol.dispose]();
    this.#grace[Symbol.dispose]();
    this.#requests[Symbol.dispose]();
  }

  /** A change counts only once it is recorded. */
  async #commit(turn: ClaimTurn, change: ClaimChange, remember: () => void): Promise<ClaimState> {
    const recorded = this.#log.record(change);
    // Waiters only need to know that it is over.
    this.#recording = recorded.catch(() => undefined);
    try {
      await recorded;
      this.#state = change.state;
      this.#change = change;
    } finally {
      this.#recording = undefined;
    }
    this.#keptFor = undefined;
    remember();
    this.#queue.overtake(turn, change.reason);
    const { by, note } = change;
    const said = { ...(by === undefined ? {} : { by }), ...noteField(note) };
    this.#requests.grantTo(change.state.claim, said);
    if (!this.#queue.isClosed) this.#grace.watch(change.state.claim);
    this.#log.changed(change);
    return change.state;
  }

  #checkMayAnswer(by: Caller): void {
    const { claim } = this.#state;
    requireWriteScope(by, "answer who asks for control");
    if (by.scope === "operator" || isHolder(claim, by)) return;
    throw claimHeldError(claim, "only the holder or an operator can answer");
  }

  /** A caller decided by what it saw. Only an operator may proceed after a change, and not over another operator. */
  #refuseLate({ overtakenBy }: ClaimTurn, mayGoOn: boolean): void {
    if (overtakenBy === undefined || (mayGoOn && overtakenBy !== "takeover")) return;
    throw claimHeldError(
      this.#state.claim,
      "it was faster; look who holds it now and decide again",
    );
  }

  #checkEpoch(epoch: ClaimEpoch | undefined): void {
    if (epoch === undefined || epoch === this.#state.epoch) return;
    throw new NacreError("conflict", `the claim has epoch ${this.#state.epoch} now, not ${epoch}`, {
      field: "epoch",
      details: { ...this.#state },
    });
  }

  /** Returns the claim to a client unless somebody took it meanwhile. */
  async #giveBack(kept: ClientClaim): Promise<void> {
    try {
      await this.#queue.run(undefined, async (turn) => {
        if (this.#keptFor !== kept || this.#grace.isGone(kept.clientId)) return;
        const state = nextClaim(this.#state, kept, this.#clock.now());
        await this.#commit(turn, { state, reason: "reclaim" }, () => undefined);
      });
    } catch (error) {
      // The client can still take it back by itself.
      if (!this.#queue.isClosed) this.#log.failed(error);
    }
  }

  /** Passes on the claim of a client that is gone for good. */
  async #resolve(vanished: ClientClaim): Promise<void> {
    try {
      await this.#queue.run(undefined, async (turn) => {
        const { claim: present } = this.#state;
        if (!isSameClaim(present, vanished) || !this.#grace.isGone(vanished.clientId)) return;
        const { claim, earlier } = this.#history.fallbackFrom(vanished);
        const state = nextClaim(this.#state, claim, this.#clock.now());
        await this.#commit(turn, { state, reason: "vanished" }, () => {
          this.#history.dropFrom(earlier ?? claim);
          if (isSameClaim(claim, HOST_CLAIM)) this.#keptFor = vanished;
        });
      });
    } catch (error) {
      if (this.#queue.isClosed) return;
      this.#log.failed(error);
      this.#grace.watch(this.#state.claim);
    }
  }
}

const noteField = (note: string | undefined): { readonly note?: string } =>
  note === undefined ? {} : { note };
