import { type Caller, NacreError } from "@nacre/contracts";
import type { Identity } from "./admission.ts";
import { CLIENT_LABEL_HEADER, clientIdOf } from "./client-id.ts";
import { checkContent, decide, type GateFacts, type Refusal } from "./gate.ts";
import type { Presented } from "./presented.ts";
import { valuesOf } from "./request-headers.ts";
import type { Throttle } from "./throttle.ts";
import type { Tickets } from "./tickets.ts";
import { LOCAL_CALLER, type Tokens } from "./tokens.ts";

/** What a Judge works with. */
export interface JudgeParts {
  readonly tokens: Pick<Tokens, "verify">;
  readonly tickets: Pick<Tickets, "redeem">;
  readonly throttle: Pick<Throttle, "fail">;
}

/** Where a request comes from, as the connection tells. */
export interface Origination {
  /** What failures are counted by. */
  readonly source: string;
  /** Whether the kernel says that our own user is at the other end. */
  readonly isLocal: boolean;
}

/** How a request is dealt with. */
export type Judgement =
  | { readonly outcome: "refused"; readonly refusal: Refusal; readonly delayMs: number }
  | { readonly outcome: "public" }
  | { readonly outcome: "admitted"; readonly identity: Identity };

const WRONG: Refusal = { status: 401, code: "unauthenticated", reason: "credential" };
const TOO_MANY: Refusal = { status: 429, code: "limit_reached", reason: "rate" };
const NO_LABEL: Refusal = { status: 400, code: "invalid_argument", reason: "label" };

/** Knows of every request whether it is let in, and as whom. */
export class Judge {
  readonly #parts: JudgeParts;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
  }

  judge(facts: GateFacts, from: Origination): Judgement {
    const verdict = decide(facts);
    switch (verdict.outcome) {
      case "refused":
        return refused(verdict.refusal);
      case "public":
        return { outcome: "public" };
      case "credential": {
        const { presented, path } = verdict;
        const identity = this.#identify(presented, path, from);
        return identity === undefined ? this.#fail(presented, from) : admit(identity, facts);
      }
    }
  }

  /** A credential that is shown decides, also over the unix socket: an agent there stays an agent. */
  #identify(presented: Presented, path: string, from: Origination): Identity | undefined {
    switch (presented.kind) {
      case "none":
        return from.isLocal ? LOCAL_IDENTITY : undefined;
      case "token":
        return this.#parts.tokens.verify(presented.secret);
      case "ticket":
        return this.#parts.tickets.redeem(presented.ticket, path);
      case "unreadable":
        return undefined;
    }
  }

  #fail(presented: Presented, { source }: Origination): Judgement {
    // Showing nothing is no guess.
    if (presented.kind === "none") return refused(WRONG);
    const { delayMs, isOver } = this.#parts.throttle.fail(source);
    return refused(isOver ? TOO_MANY : WRONG, delayMs);
  }
}

/** Who our own user at the other end of the unix socket is. */
export const LOCAL_IDENTITY: Identity = {
  caller: { ...LOCAL_CALLER, clientId: clientIdOf(LOCAL_CALLER.id, undefined) },
  credential: { name: LOCAL_CALLER.id },
};

const refused = (refusal: Refusal, delayMs = 0): Judgement => ({
  outcome: "refused",
  refusal,
  delayMs,
});

function admit({ caller, credential }: Identity, { rawHeaders }: GateFacts): Judgement {
  const content = checkContent(rawHeaders);
  if (content !== undefined) return refused(content);
  const labels = valuesOf(rawHeaders, CLIENT_LABEL_HEADER);
  if (labels.length > 1) return refused(NO_LABEL);
  try {
    const identity = { caller: withClient(caller, labels[0]), credential };
    return { outcome: "admitted", identity };
  } catch (error) {
    if (error instanceof NacreError) return refused(NO_LABEL);
    throw error;
  }
}

/** A ticket has the client that asked for it, because a browser cannot say it again. */
const withClient = (caller: Caller, label: string | undefined): Caller =>
  label === undefined && caller.clientId !== undefined
    ? caller
    : { ...caller, clientId: clientIdOf(caller.id, label) };
