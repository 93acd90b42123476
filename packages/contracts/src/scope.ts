import { z } from "zod";
import type { CallerId, ClientId } from "./ids.ts";
import type { TerminalOwnerReference } from "./terminal-input.ts";

export const Scope = z.enum(["operator", "agent", "readOnly"]).meta({
  description:
    "What a credential is good for: `operator` everything, `agent` its own terminals and recordings, `readOnly` looking.",
});
export type Scope = z.infer<typeof Scope>;

/** Who asks, according to credential and connection; never taken from the request. */
export interface Caller {
  readonly id: CallerId;
  readonly scope: Scope;
  readonly clientId?: ClientId | undefined;
  /** The agent's session it acts for. */
  readonly session?: string | undefined;
  /** May detach agents' terminals without being an operator. */
  readonly mayManage?: boolean | undefined;
  /** An agent sees only terminals of this owner. */
  readonly owner?: TerminalOwnerReference | undefined;
  /** Terminals start in or below these directories; absent: wherever the host allows. */
  readonly roots?: readonly string[] | undefined;
}
