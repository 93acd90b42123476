import type { ErrorCode, NacreError, Via } from "@nacre/contracts";
import type { WebSocket } from "ws";
import type { AuthContext } from "../../auth/auth-context.ts";
import type { CallContext } from "../../operations/call-context.ts";
import { type ClientSocket, CLOSE_CODES } from "../../socket/client-socket.ts";
import type { ClientSockets } from "../../socket/client-sockets.ts";
import type { RawOperations } from "./attached-terminal.ts";

/** Closes a socket whose terminal cannot be shown, or no longer. */
export function closeRefused(socket: ClientSocket, { code, message }: NacreError): void {
  socket.close(CLOSE_CODE_BY_ERROR[code] ?? CLOSE_CODES.internal, `${code}: ${message}`);
}

const CLOSE_CODE_BY_ERROR: Readonly<Partial<Record<ErrorCode, number>>> = {
  terminal_not_found: CLOSE_CODES.notFound,
  recording_not_found: CLOSE_CODES.notFound,
  forbidden: CLOSE_CODES.forbidden,
  unauthenticated: CLOSE_CODES.forbidden,
  invalid_argument: CLOSE_CODES.invalid,
  conflict: CLOSE_CODES.invalid,
  unavailable: CLOSE_CODES.tryAgain,
  limit_reached: CLOSE_CODES.tryAgain,
};

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

export interface UpgradesDeps extends Pick<
  SocketDeps,
  "operations" | "maxBehindMs" | "handleProblem"
> {
  readonly heartbeatMs?: number | undefined;
}

/** Takes in a WebSocket that was let in; its caller counts as connected until it closes. */
export function acceptSocket(
  webSocket: WebSocket,
  how: {
    readonly deps: UpgradesDeps;
    readonly sockets: ClientSockets;
    readonly admission: AuthContext;
    readonly query: URLSearchParams;
    readonly via: Via;
    /** What may be under way through it. */
    readonly maxBytes: number;
  },
): SocketDeps {
  const { operations, maxBehindMs, handleProblem } = how.deps;
  const { caller, peer } = how.admission;
  const socket = how.sockets.add(webSocket, how.maxBytes);
  const context = { caller, via: how.via, peer, signal: socket.signal };
  operations.clientBack(caller);
  socket.onClose(() => operations.clientGone(caller));
  const { protocol } = webSocket;
  return { socket, operations, context, query: how.query, protocol, maxBehindMs, handleProblem };
}
