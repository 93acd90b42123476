import type { CallerId, ClientId, Scope } from "@nacre/contracts";

/** Who asks, as the credential and the connection tell; never taken from the request itself. */
export interface Caller {
  readonly id: CallerId;
  readonly scope: Scope;
  /** The Client it asks through, where it has one. */
  readonly clientId?: ClientId | undefined;
  /** Address of the agent's session it acts for, where it is an agent. */
  readonly session?: string | undefined;
  /** Whether it may detach agents' terminals although it is no operator. */
  readonly mayManage?: boolean | undefined;
}
