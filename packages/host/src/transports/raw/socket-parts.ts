import type { CallContext } from "../../operations/call-context.ts";
import type { RawOperations } from "./attached-terminal.ts";
import type { ClientSocket } from "../../socket/client-socket.ts";

/** What a socket that is open is served with; it reads nothing until it is resumed. */
export interface SocketDeps {
  readonly socket: ClientSocket;
  readonly operations: RawOperations;
  readonly context: CallContext;
  /** What stands behind the question mark of its address. */
  readonly query: URLSearchParams;
  /** The subprotocol that was agreed on; empty when there is none. */
  readonly protocol: string;
  /** For how long a viewer may keep us waiting before it is skipped forward. */
  readonly maxBehindMs?: number | undefined;
  /** Something failed that the client cannot be told in full. */
  readonly handleProblem: (error: unknown) => void;
}
