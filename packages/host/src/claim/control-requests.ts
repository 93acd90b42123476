import { randomUUID } from "node:crypto";
import {
  type Caller,
  type CallerId,
  type Claim,
  type ControlRequest,
  MAX_CONTROL_REQUESTS,
  NacreError,
} from "@nacre/contracts";
import { claimOf, isHolder, isSameClaim } from "./claim-rules.ts";
import type { Clock } from "../base/clock.ts";

/** Nobody answers after a day; `setTimeout` could count further. */
export const MAX_DEADLINE_MS = 24 * 60 * 60 * 1000;

/** `replaced`: a later request of the same caller; `closed`: the terminal ended. */
type ControlOutcome = "granted" | "denied" | "expired" | "replaced" | "closed";

export interface ControlDecision {
  readonly outcome: ControlOutcome;
  readonly by?: CallerId;
  readonly note?: string;
}

export interface ControlQuestion {
  readonly by: Caller;
  readonly note?: string | undefined;
  readonly deadlineMs: number;
}

/** The answer never rejects. */
export interface PendingControlRequest {
  readonly request: ControlRequest;
  readonly answered: Promise<ControlDecision>;
}

interface OpenRequest {
  readonly request: ControlRequest;
  readonly asker: Caller;
  readonly resolve: (answer: ControlDecision) => void;
  readonly cancelExpiry: () => void;
  /** A grant is being recorded: the deadline waits for the result. */
  isHeld: boolean;
  isOverdue: boolean;
}

/** Open requests for control: one per caller, each settled exactly once. */
export class ControlRequests implements Disposable {
  readonly #open = new Map<string, OpenRequest>();
  readonly #clock: Clock;
  readonly #changed: () => void;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get pending(): readonly ControlRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  ask({ by, note, deadlineMs }: ControlQuestion): PendingControlRequest {
    checkDeadline(deadlineMs);
    const earlier = [...this.#open.values()].find(({ request }) => request.by === by.id);
    if (earlier === undefined && this.#open.size >= MAX_CONTROL_REQUESTS) {
      throw new NacreError(
        "limit_reached",
        `${this.#open.size} callers already asked for control of this terminal`,
        { suggestion: "Ask again when one of them was answered." },
      );
    }
    if (earlier !== undefined) this.#end(earlier, { outcome: "replaced" });
    const now = this.#clock.now();
    const request: ControlRequest = {
      requestId: randomUUID(),
      by: by.id,
      claim: claimOf(by),
      ...(note === undefined ? {} : { note }),
      askedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + deadlineMs).toISOString(),
    };
    const { promise: answered, resolve } = Promise.withResolvers<ControlDecision>();
    const cancelExpiry = this.#clock.after(deadlineMs, () => this.#expire(request.requestId));
    const state = { isHeld: false, isOverdue: false };
    this.#open.set(request.requestId, { request, asker: by, resolve, cancelExpiry, ...state });
    this.#changed();
    return { request, answered };
  }

  /** Throws `conflict` when it is not open. */
  get(requestId: string): ControlRequest {
    return this.#get(requestId).request;
  }

  deny(requestId: string, answer: Omit<ControlDecision, "outcome">): void {
    this.#end(this.#get(requestId), { outcome: "denied", ...answer });
    this.#changed();
  }

  /** Suspends the deadline while a grant is recorded. */
  async hold<Result>(requestId: string, grant: () => Promise<Result>): Promise<Result> {
    const open = this.#get(requestId);
    open.isHeld = true;
    try {
      return await grant();
    } finally {
      open.isHeld = false;
      if (open.isOverdue) this.#expire(requestId);
    }
  }

  /** Settles the requests of the new holder. */
  grantTo(claim: Claim, answer: Omit<ControlDecision, "outcome">): void {
    for (const open of this.#open.values()) {
      const isTheirs = isHolder(claim, open.asker) || isSameClaim(claim, open.request.claim);
      if (isTheirs) this.#end(open, { outcome: "granted", ...answer });
    }
  }

  [Symbol.dispose](): void {
    for (const open of this.#open.values()) this.#end(open, { outcome: "closed" });
  }

  #get(requestId: string): OpenRequest {
    const open = this.#open.get(requestId);
    if (open !== undefined) return open;
    throw new NacreError("conflict", `no request for control ${requestId} is open`, {
      field: "requestId",
      suggestion: "It was answered or expired; look at the open requests.",
    });
  }

  #expire(requestId: string): void {
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    open.isOverdue = true;
    if (open.isHeld) return;
    this.#end(open, { outcome: "expired" });
    this.#changed();
  }

  #end(open: OpenRequest, answer: ControlDecision): void {
    this.#open.delete(open.request.requestId);
    open.cancelExpiry();
    open.resolve(answer);
  }
}

function checkDeadline(deadlineMs: number): void {
  if (deadlineMs > 0 && deadlineMs <= MAX_DEADLINE_MS) return;
  throw new NacreError(
    "invalid_argument",
    `deadlineMs: must be more than 0 and at most ${MAX_DEADLINE_MS}, not ${deadlineMs}`,
    { field: "deadlineMs" },
  );
}
