import {
  type Caller,
  type Claim,
  type ClaimEpoch,
  type ClaimReading,
  type ClaimState,
  type ClientId,
  type ControlRequest,
  NacreError,
} from "@nacre/contracts";
import { claimHeldError, requireWriteScope } from "./claim-held.ts";
import {
  type ClaimChange,
  claimOf,
  isHolder,
  isSameClaim,
  moveClaim,
  nextClaim,
} from "./claim-rules.ts";
import { CLIENT_GRACE_MS, type ClientClaim, ClientGrace } from "./client-grace.ts";
import {
  type PendingControlRequest,
  type ControlQuestion,
  ControlRequests,
} from "./control-requests.ts";
import { ClaimHistory } from "./earlier-claims.ts";
import { HOST_CLAIM } from "./host-claim.ts";
import { SYSTEM_TIMERS, type Timers } from "./timers.ts";
import { type ClaimTurn, ClaimQueue } from "./turns.ts";

/** What the holder of a claim tells its Terminal. */
export interface ClaimLog {
  /** Records a change that does not hold yet; when this fails nothing changes. */
  record(change: ClaimChange): Promise<void>;
  /** The change holds now; without one, the requests for control changed. */
  changed(change?: ClaimChange): void;
  /** A change that nobody waits for could not be recorded; it will be tried again. */
  failed(error: unknown): void;
}

/** What a ClaimHolder starts from. */
export interface ClaimHolderOptions {
  /** The present claim, already recorded. */
  readonly state: ClaimState;
  /** The claim that the terminal was created with; the present one when absent. */
  readonly first?: Claim;
  readonly log: ClaimLog;
  readonly graceMs?: number;
  readonly timers?: Timers;
}

/** Who wants which claim. */
export interface ClaimRequest {
  /** The caller's own when absent. */
  readonly wanted?: Claim | undefined;
  readonly by: Caller;
  readonly note?: string | undefined;
  /** The epoch the caller decided by; `conflict` when the claim moved since. */
  readonly epoch?: ClaimEpoch | undefined;
  /** Whether an operator may take it from who holds it; true when absent. */
  readonly takeover?: boolean | undefined;
}

/** An answer to a request for control. */
export interface ControlReply {
  readonly requestId: string;
  readonly by: Caller;
  readonly grant: boolean;
  readonly note?: string | undefined;
}

/** The claim of one Terminal: changed one at a time, recorded before it counts, and never without a holder. */
export class ClaimHolder implements Disposable {
  readonly #log: ClaimLog;
  readonly #timers: Timers;
  readonly #grace: ClientGrace;
  readonly #history: ClaimHistory;
  readonly #requests: ControlRequests;
  readonly #queue = new ClaimQueue();
  #state: ClaimState;
  /** The change that the state came from; absent when that was before this host began. */
  #change: ClaimChange | undefined;
  #keptFor: ClientClaim | undefined;
  #recording: Promise<unknown> | undefined;

  constructor({ state, first, log, graceMs, timers }: ClaimHolderOptions) {
    this.#state = state;
    this.#log = log;
    this.#timers = timers ?? SYSTEM_TIMERS;
    this.#grace = new ClientGrace(state.claim, {
      graceMs: graceMs ?? CLIENT_GRACE_MS,
      timers: this.#timers,
      vanished: (claim) => void this.#resolve(claim),
    });
    this.#history = new ClaimHistory(first ?? state.claim);
    this.#requests = new ControlRequests(this.#timers, () => log.changed());
  }

  get state(): ClaimState {
    return this.#state;
  }

  /** The present claim, how it came about, and what it means to this caller. */
  readFor(caller: Caller): ClaimReading {
    const { claim } = this.#state;
    const { reason, by, note } = this.#change ?? {};
    // An operator may stand for the host, but did not take the terminal by that.
    const isHost = isSameClaim(claim, HOST_CLAIM);
    return {
      ...this.#state,
      holder: isHost ? "host" : isHolder(claim, caller) ? "you" : "other",
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
      ...noteField(note),
    };
  }

  /** The claim that the terminal was created with. */
  get first(): Claim {
    return this.#history.first;
  }

  /** Who asks for control and was not answered yet. */
  get requests(): readonly ControlRequest[] {
    return this.#requests.pending;
  }

  /** Resolves with true when no change is half done: whoever checks the claim right after can rely on it until the next pause. With false when one takes longer than `maxMs`. */
  async settled(maxMs?: number): Promise<boolean> {
    if (this.#recording === undefined) return true;
    const late = Promise.withResolvers<false>();
    const cancel =
      maxMs === undefined ? undefined : this.#timers.after(maxMs, () => late.resolve(false));
    let isSettled: unknown = true;
    while (this.#recording !== undefined && isSettled !== false) {
      isSettled = await Promise.race([this.#recording, late.promise]);
    }
    cancel?.();
    return isSettled !== false;
  }

  /** Moves the claim by the rules; of callers that try at the same time one succeeds. */
  move({ by, wanted = claimOf(by), note, epoch, takeover }: ClaimRequest): Promise<ClaimState> {
    return this.#queue.run(by, async (turn) => {
      this.#checkEpoch(epoch);
      const [current, keptFor] = [this.#state, this.#keptFor];
      const now = this.#timers.now();
      const change = moveClaim({ current, wanted, by, now, keptFor, takeover });
      if (change === undefined) return current;
      this.#refuseLate(turn, change.reason === "takeover");
      return this.#commit(turn, { ...change, ...noteField(note) }, () => {
        const isTaken = change.reason === "handover" || change.reason === "takeover";
        if (isTaken) this.#history.add(current.claim);
      });
    });
  }

  /** Asks the holder for control; the answer comes until the deadline, or says that none came. */
  requestControl(question: ControlQuestion): PendingControlRequest {
    const { by } = question;
    this.#queue.checkOpen();
    requireWriteScope(by, "ask for control");
    if (isHolder(this.#state.claim, by)) {
      throw new NacreError("conflict", `caller ${by.id} already holds this terminal`, {
        suggestion: "Go on: the terminal is yours to drive.",
      });
    }
    return this.#requests.ask(question);
  }

  /** Answers a request for control; the holder may, and an operator. */
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
      const state = nextClaim(current, claim, this.#timers.now());
      return this.#requests.hold(requestId, () =>
        this.#commit(turn, { state, reason: "granted", ...said }, () =>
          this.#history.add(current.claim),
        ),
      );
    });
  }

  /** Gives the claim back to whom it was taken from; only its holder can. */
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
      const state = nextClaim(this.#state, earlier, this.#timers.now());
      const change: ClaimChange = { state, reason: "handover", by: by.id, ...noteField(note) };
      return this.#commit(turn, change, () => this.#history.dropFrom(earlier));
    });
  }

  /** A client left; when it holds the claim it keeps it for the grace time. */
  clientGone(clientId: ClientId): void {
    if (!this.#queue.isClosed) this.#grace.leave(clientId);
  }

  /** A client is there again; what the host kept for it is its own again. */
  clientBack(clientId: ClientId): void {
    if (this.#queue.isClosed) return;
    this.#grace.comeBack(clientId);
    if (this.#keptFor?.clientId === clientId) void this.#giveBack(this.#keptFor);
  }

  /** Nothing can be changed any more; requests that are open end as closed. */
  [Symbol.dispose](): void {
    this.#queue[Symbol.dispose]();
    this.#grace[Symbol.dispose]();
    this.#requests[Symbol.dispose]();
  }

  /** Records a change and lets it count from then on. */
  async #commit(turn: ClaimTurn, change: ClaimChange, remember: () => void): Promise<ClaimState> {
    const recorded = this.#log.record(change);
    // Who waits for the end of it has nothing to do with how it ended.
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

  /** A caller decided by what it saw; only an operator may go on, and not over another operator. */
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

  /** Gives the claim to a client that the host kept it for, unless somebody took it meanwhile. */
  async #giveBack(kept: ClientClaim): Promise<void> {
    try {
      await this.#queue.run(undefined, async (turn) => {
        if (this.#keptFor !== kept || this.#grace.isGone(kept.clientId)) return;
        const state = nextClaim(this.#state, kept, this.#timers.now());
        await this.#commit(turn, { state, reason: "reclaim" }, () => undefined);
      });
    } catch (error) {
      // It can still take it back by itself.
      if (!this.#queue.isClosed) this.#log.failed(error);
    }
  }

  /** Gives the claim of a client that is gone for good to somebody else. */
  async #resolve(vanished: ClientClaim): Promise<void> {
    try {
      await this.#queue.run(undefined, async (turn) => {
        const { claim: present } = this.#state;
        if (!isSameClaim(present, vanished) || !this.#grace.isGone(vanished.clientId)) return;
        const { claim, earlier } = this.#history.fallbackFrom(vanished);
        const state = nextClaim(this.#state, claim, this.#timers.now());
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
