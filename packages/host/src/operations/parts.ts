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
type MaybePromise<Value> = Value | Promise<Value>;

/** The tokens of a host, as operations use them. */
export interface TokenStore {
  list(): MaybePromise<readonly TokenInfo[]>;
  create(input: CreateTokenInput): MaybePromise<CreateTokenResult>;
  rotate(name: TokenName): MaybePromise<CreateTokenResult>;
  revoke(name: TokenName): MaybePromise<void>;
}

/** The tickets of a host, as operations use them. */
export interface TicketStore {
  issue(caller: Caller, input: CreateTicketInput): MaybePromise<CreateTicketResult>;
}

/** What a host says of itself that its terminals do not tell. */
export type HostFacts = Pick<
  HostInfo,
  "version" | "protocolVersions" | "pid" | "startedAt" | "platform" | "arch" | "keeper" | "restarts"
>;

/** What operations work with. */
export interface OperationsDeps {
  readonly registry: Registry;
  readonly bus: Bus;
  readonly audit: AuditLog;
  readonly hostFacts: () => HostFacts;
  /** Absent where nobody comes in by a token, as in a library. */
  readonly tokens?: TokenStore | undefined;
  readonly tickets?: TicketStore | undefined;
  /** Something failed that nobody waits for, such as a record of the audit. */
  readonly handleProblem: (error: unknown) => void;
}
