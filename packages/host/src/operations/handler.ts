import type {
  Caller,
  CreateTicketInput,
  CreateTicketResult,
  CreateTokenInput,
  CreateTokenResult,
  HostInfo,
  OperationInput,
  OperationName,
  OperationOutput,
  TokenInfo,
  TokenName,
} from "@nacre/contracts";
import type { AuditLog } from "../auth/audit.ts";
import type { Bus } from "../bus/bus.ts";
import type { Registry } from "../registry/registry.ts";

type MaybePromise<Value> = Value | Promise<Value>;

export interface TokenStore {
  list(): MaybePromise<readonly TokenInfo[]>;
  create(input: CreateTokenInput): MaybePromise<CreateTokenResult>;
  rotate(name: TokenName): MaybePromise<CreateTokenResult>;
  revoke(name: TokenName): MaybePromise<void>;
}

export interface TicketStore {
  issue(caller: Caller, input: CreateTicketInput): MaybePromise<CreateTicketResult>;
}

/** Facts about the host beside its terminals. */
export type HostFacts = Pick<
  HostInfo,
  "version" | "protocolVersions" | "pid" | "startedAt" | "platform" | "arch" | "keeper" | "restarts"
>;

export interface OperationsDeps {
  readonly registry: Registry;
  readonly bus: Bus;
  readonly audit: AuditLog;
  readonly hostFacts: () => HostFacts;
  /** Absent where nobody comes in by a token, as in a library. */
  readonly tokens?: TokenStore | undefined;
  readonly tickets?: TicketStore | undefined;
  /** Something failed that no caller waits for, such as an audit record. */
  readonly handleProblem: (error: unknown) => void;
}

/** Does what one operation says; its input is checked, and a terminal that it names is the caller's to see. */
export type Handler<Name extends OperationName> = (
  input: OperationInput<Name>,
  /** Who asks, once it may, and until when. */
  call: {
    readonly caller: Caller;
    readonly signal?: AbortSignal | undefined;
    /** Is told that input reached the program, and whether nothing may be known of it. */
    readonly handleTyped: (isWithheld: boolean) => void;
  },
) => Promise<OperationOutput<Name>>;

/** One handler per operation of the table. */
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };

type PageEnd<Key> =
  | { readonly truncated: true; readonly nextAfter: Key }
  | { readonly truncated: false };

/** Takes one item more than asked for, which tells that more follow. */
export function paginate<Item, Key>(
  items: readonly Item[],
  limit: number,
  keyOf: (item: Item) => Key,
): [Item[], PageEnd<Key>] {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return items.length > limit && last !== undefined
    ? [page, { truncated: true, nextAfter: keyOf(last) }]
    : [page, { truncated: false }];
}
