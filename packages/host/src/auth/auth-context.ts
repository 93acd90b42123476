import {
  type Caller,
  type CallerId,
  ClientId,
  NacreError,
  type Scope,
  type TerminalOwnerReference,
} from "@nacre/contracts";

/** The header in which a program says which of its caller's clients it is. */
export const CLIENT_LABEL_HEADER = "nacre-client-id";

/** Enough for a name and a random part, short enough to be in every claim. */
const MAX_LABEL_LENGTH = 64;

const LABEL = new RegExp(`^[A-Za-z0-9._:-]{1,${MAX_LABEL_LENGTH}}$`);

/**
 * The id of a client: the caller's own, with the label it chose behind it. A label only tells the clients of one caller
 * apart, so nobody can name another's client or the host; what is no label is refused with `invalid_argument`.
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

/** What let a caller in, by name; never the secret itself. Its name is also the caller's id. */
interface Credential {
  readonly name: string;
}

/** Who a credential stands for. */
export interface Identity {
  readonly caller: Caller;
  readonly credential: Credential;
}

/** What the guard hands to a transport with everything it lets through. */
export interface AuthContext extends Identity {
  /** Where it really comes from, for the audit: address and port, or the user and process behind a unix socket. */
  readonly peer: string;
  /** What failures are counted by: the address without its port, or the user behind a unix socket. */
  readonly source: string;
}

/** Refuses with `forbidden` what is not for the caller's scope; `what` names it in the message. */
export function requireScope(scopes: readonly Scope[], caller: Caller, what: string): void {
  if (scopes.includes(caller.scope)) return;
  throw new NacreError(
    "forbidden",
    `${what} is not for the scope ${caller.scope}, only for ${scopes.join(", ")}`,
  );
}

/**
 * Whether a terminal of this owner, live or ended, exists for the caller: an agent has those of its own owner, and none
 * without one; everybody else sees all.
 */
export function canSeeOwner(caller: Caller, owner: TerminalOwnerReference): boolean {
  if (caller.scope !== "agent") return true;
  return (
    caller.owner !== undefined &&
    caller.owner.entityName === owner.entityName &&
    caller.owner.entityId === owner.entityId
  );
}
