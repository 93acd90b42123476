import type {
  Caller,
  CreateTicketInput,
  CreateTicketResult,
  CreateTokenInput,
  CreateTokenResult,
  HostInfo,
  TokenInfo,
  TokenName,
} from "@nacre/contracts";
import type { AuditLog } from "../auth/audit.ts";
import type { Bus } from "../bus/bus.ts";
import type { Registry } from "../registry/registry.ts";

/** An answer that may take a while. */
type Eventual<Value> = Value | Promise<Value>;

/** The tokens of a host, as operations use them. */
export interface TokenBook {
  list(): Eventual<readonly TokenInfo[]>;
  create(input: CreateTokenInput): Eventual<CreateTokenResult>;
  rotate(name: TokenName): Eventual<CreateTokenResult>;
  revoke(name: TokenName): Eventual<void>;
}

/** The tickets of a host, as operations use them. */
export interface TicketBook {
  issue(caller: Caller, input: CreateTicketInput): Eventual<CreateTicketResult>;
}

/** What a host says of itself that its terminals do not tell. */
export type HostFacts = Pick<
  HostInfo,
  "version" | "protocolVersions" | "pid" | "startedAt" | "platform" | "arch" | "keeper" | "restarts"
>;

/** What operations work with. */
export interface OperationsParts {
  readonly registry: Registry;
  readonly bus: Bus;
  readonly audit: AuditLog;
  readonly hostFacts: () => HostFacts;
  /** Absent where nobody comes in by a token, as in a library. */
  readonly tokens?: TokenBook | undefined;
  readonly tickets?: TicketBook | undefined;
  /** Something failed that nobody waits for, such as a record of the audit. */
  readonly handleProblem: (error: unknown) => void;
}
