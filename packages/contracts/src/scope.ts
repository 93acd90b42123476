import { z } from "zod";
import type { CallerId, ClientId } from "./ids.ts";
import type { TerminalOwnerReference } from "./terminal-input.ts";

/** What a credential is good for: everything, an agent's own terminals, or looking only. */
export const Scope = z.enum(["operator", "agent", "readOnly"]).meta({
  description:
    "What a credential is good for: `operator` everything, `agent` its own terminals and recordings, `readOnly` looking.",
});
export type Scope = z.infer<typeof Scope>;

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
  /** Whose Terminals are its own: an agent sees those of this Owner and no others. */
  readonly owner?: TerminalOwnerReference | undefined;
  /** Directories in or below which its Terminals start; where the host allows when absent. */
  readonly roots?: readonly string[] | undefined;
}
