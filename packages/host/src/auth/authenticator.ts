import { type Caller, NacreError } from "@nacre/contracts";
import { CLIENT_LABEL_HEADER, type Identity, makeClientId } from "./auth-context.ts";
import { checkContent, checkRequest, type Refusal, type RequestFacts } from "./check-request.ts";
import { headerValues, type PresentedCredential } from "./presented-credential.ts";
import type { FailedAuthLimiter } from "./failed-auth-limiter.ts";
import type { Tickets } from "./tickets.ts";
import { type Tokens, UNIX_SOCKET_CALLER } from "./tokens.ts";

export interface AuthenticatorDeps {
  readonly tokens: Pick<Tokens, "verify">;
  readonly tickets: Pick<Tickets, "redeem">;
  readonly throttle: Pick<FailedAuthLimiter, "fail">;
}

/** As told by the connection. */
export interface RequestOrigin {
  /** Key for counting failures. */
  readonly source: string;
  /** The kernel reports our own uid at the other end. */
  readonly isLocal: boolean;
}

export type AuthDecision =
  | { readonly outcome: "refused"; readonly refusal: Refusal; readonly delayMs: number }
  | { readonly outcome: "public" }
  | { readonly outcome: "admitted"; readonly identity: Identity };

const WRONG_CREDENTIAL: Refusal = { status: 401, code: "unauthenticated", reason: "credential" };
const TOO_MANY_FAILURES: Refusal = { status: 429, code: "limit_reached", reason: "rate" };
const INVALID_LABEL: Refusal = { status: 400, code: "invalid_argument", reason: "label" };

/** Decides for every request whether it is admitted, and as whom. */
export class Authenticator {
  readonly #deps: AuthenticatorDeps;

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps;
  }

  authenticate(facts: RequestFacts, from: RequestOrigin): AuthDecision {
    const verdict = checkRequest(facts);
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

  /** A presented credential decides, also over the unix socket: an agent there stays an agent. */
  #identify(
    presented: PresentedCredential,
    path: string,
    from: RequestOrigin,
  ): Identity | undefined {
    switch (presented.kind) {
      case "none":
        return from.isLocal ? UNIX_SOCKET_IDENTITY : undefined;
      case "token":
        return this.#deps.tokens.verify(presented.secret);
      case "ticket":
        return this.#deps.tickets.redeem(presented.ticket, path);
      case "unreadable":
        return undefined;
    }
  }

  #fail(presented: PresentedCredential, { source }: RequestOrigin): AuthDecision {
    // Presenting nothing is not a guess.
    if (presented.kind === "none") return refused(WRONG_CREDENTIAL);
    const { delayMs, isOver } = this.#deps.throttle.fail(source);
    return refused(isOver ? TOO_MANY_FAILURES : WRONG_CREDENTIAL, delayMs);
  }
}

export const UNIX_SOCKET_IDENTITY: Identity = {
  caller: { ...UNIX_SOCKET_CALLER, clientId: makeClientId(UNIX_SOCKET_CALLER.id, undefined) },
  credential: { name: UNIX_SOCKET_CALLER.id },
};

const refused = (refusal: Refusal, delayMs = 0): AuthDecision => ({
  outcome: "refused",
  refusal,
  delayMs,
});

function admit({ caller, credential }: Identity, { rawHeaders }: RequestFacts): AuthDecision {
  const content = checkContent(rawHeaders);
  if (content !== undefined) return refused(content);
  const labels = headerValues(rawHeaders, CLIENT_LABEL_HEADER);
  if (labels.length > 1) return refused(INVALID_LABEL);
  try {
    const identity = { caller: withClient(caller, labels[0]), credential };
    return { outcome: "admitted", identity };
  } catch (error) {
    if (error instanceof NacreError) return refused(INVALID_LABEL);
    throw error;
  }
}

/** A ticket carries the client that asked for it, because a browser cannot repeat that. */
const withClient = (caller: Caller, label: string | undefined): Caller =>
  label === undefined && caller.clientId !== undefined
    ? caller
    : { ...caller, clientId: makeClientId(caller.id, label) };
