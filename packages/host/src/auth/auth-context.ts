import {
  type Caller,
  type CallerId,
  ClientId,
  NacreError,
  type Scope,
  type TerminalOwnerReference,
} from "@nacre/contracts";

/** Names one of a caller's clients. */
export const CLIENT_LABEL_HEADER = "nacre-client-id";

/** Enough for a name and a random part, short because every claim carries it. */
const MAX_LABEL_LENGTH = 64;

const LABEL = new RegExp(`^[A-Za-z0-9._:-]{1,${MAX_LABEL_LENGTH}}$`);

/**
 * The caller's id plus the label that the client chose. A label only distinguishes clients of one caller, so nobody can
 * name another's client or the host; an invalid label is refused with `invalid_argument`.
 */
export function makeClientId(caller: CallerId, label: string | undefined): ClientId {
  if (label === undefined) return ClientId.parse(caller);
  if (LABEL.test(label)) return ClientId.parse(`${caller}#${label}`);
  throw new NacreError(
    "invalid_argument",
    `${CLIENT_LABEL_HEADER}: expected 1 to ${MAX_LABEL_LENGTH} letters, digits, \`.\`, \`_\`, \`:\` or \`-\``,
    { field: CLIENT_LABEL_HEADER },
  );
}

/** Its name, never the secret; also the caller's id. */
interface Credential {
  readonly name: string;
}

export interface Identity {
  readonly caller: Caller;
  readonly credential: Credential;
}

/** Passed to a transport with everything the guard lets through. */
export interface AuthContext extends Identity {
  /** For the audit: address and port, or uid and pid behind a unix socket. */
  readonly peer: string;
  /** Key for counting failures: the address without port, or the uid. */
  readonly source: string;
}

/** Throws `forbidden`; `what` names the action in the message. */
export function requireScope(scopes: readonly Scope[], caller: Caller, what: string): void {
  if (scopes.includes(caller.scope)) return;
  throw new NacreError(
    "forbidden",
    `${what} is not for the scope ${caller.scope}, only for ${scopes.join(", ")}`,
  );
}

/**
 * Whether a terminal of this owner exists for the caller: an agent sees those of its own owner, none without one;
 * everybody else sees all.
 */
export function canSeeOwner(caller: Caller, owner: TerminalOwnerReference): boolean {
  if (caller.scope !== "agent") return true;
  return (
    caller.owner !== undefined &&
    caller.owner.entityName === owner.entityName &&
    caller.owner.entityId === owner.entityId
  );
}
