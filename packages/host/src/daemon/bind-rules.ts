import { isIPv4, isIPv6 } from "node:net";
import { NacreError } from "@nacre/contracts";

/** What decides whether the daemon may listen on an address. */
export interface BindRequest {
  /** What was asked for: an IP address, or `localhost`. */
  readonly host: string;
  readonly hasTls: boolean;
  readonly behindProxy: boolean;
  readonly isRoot: boolean;
}

/** An address that may be listened on. */
export interface BindAddress {
  readonly address: string;
  readonly isLoopback: boolean;
}

/** The address to listen on, or a refusal: what others can reach needs TLS or a proxy that has it, and never root. */
export function decideBind(question: BindRequest): BindAddress {
  const address = question.host === "localhost" ? "127.0.0.1" : question.host;
  if (!isIPv4(address) && !isIPv6(address)) {
    throw bindError("invalid_argument", `host ${question.host} is no IP address`, LOOPBACK_ADVICE);
  }
  if (isLoopback(address)) return { address, isLoopback: true };
  if (question.isRoot) {
    throw bindError(
      "forbidden",
      `as root the daemon listens on loopback only, not on ${address}`,
      "Run it as another user, or leave --host out.",
    );
  }
  if (!question.hasTls && !question.behindProxy) {
    throw bindError(
      "forbidden",
      `others can reach ${address}, and what they send could be read on the way`,
      "Add --tls-cert and --tls-key, or --behind-proxy where a proxy has them; or leave --host out.",
    );
  }
  return { address, isLoopback: false };
}

const LOOPBACK_ADVICE = "Name an address such as 127.0.0.1 or ::1.";

/** True for addresses that only this machine can reach. */
function isLoopback(address: string): boolean {
  if (isIPv4(address)) return address.startsWith("127.");
  // Other spellings of ::1 are refused like any address, which is safe.
  return address === "::1";
}

function bindError(
  code: "invalid_argument" | "forbidden",
  message: string,
  suggestion: string,
): NacreError {
  return new NacreError(code, message, { field: "host", suggestion });
}
