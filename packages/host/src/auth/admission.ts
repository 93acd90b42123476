import type { Caller } from "@nacre/contracts";

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
