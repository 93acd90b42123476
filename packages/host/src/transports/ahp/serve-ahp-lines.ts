import type { Socket } from "node:net";
import type { AuthContext } from "../../auth/admission.ts";
import type { Operations } from "../../operations/dispatch.ts";
import type { AgentHost } from "./channels/agent-host.ts";
import { AhpConnection } from "./connection/ahp-connection.ts";
import type { ConnectionLimits } from "./connection/limits.ts";
import { LineWire } from "./connection/line-wire.ts";

/** What a connection of lines is served with. */
export interface AhpLinesDeps {
  readonly operations: Operations;
  readonly agentHost: AgentHost;
  /** Who is at the other end, as the kernel knows it. */
  readonly admission: Pick<AuthContext, "caller" | "peer">;
  /** Something failed that the client cannot be told in full. */
  readonly handleProblem: (error: unknown) => void;
  readonly limits?: Partial<ConnectionLimits> | undefined;
}

/** Serves one connection that speaks the Agent Host Protocol in lines of JSON, until it is over. */
export function serveAhpLines(socket: Socket, parts: AhpLinesDeps): void {
  new AhpConnection({ ...parts, wire: new LineWire(socket) });
}
