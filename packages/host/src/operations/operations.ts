// The entrance for every wire: a request is parsed, authorised, executed and audited here, in this order.
import {
  type Caller,
  type ClientId,
  HOST_ID,
  type ImportRecordingResult,
  NacreError,
  type Operation,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  OPERATIONS,
  parse,
  type Subscription,
  type SubscriptionInput,
  type SubscriptionName,
  SUBSCRIPTIONS,
  type TerminalId,
} from "@nacre/contracts";
import { canSeeOwner, requireScope } from "../auth/auth-context.ts";
import type { OwnedChannel } from "../bus/bus.ts";
import { type Registry, terminalNotFound } from "../registry/registry.ts";
import { type FeedOptions, TerminalFeed } from "../registry/terminal-feed.ts";
import { Access } from "./access.ts";
import { Attachment } from "./attachment.ts";
import {
  AUDIT_FACTS,
  AuditDigest,
  type AuditFacts,
  type AuditFactsTable,
  INPUT_AUDIT_FACTS,
} from "./audit-facts.ts";
import { AuditedRequest, AuditTrail, findTerminalId } from "./audit-trail.ts";
import type { CallContext } from "./call-context.ts";
import { ClientFeed, type Feed, FilteredEvents } from "./feed.ts";
import { credentialHandlers, hostHandlers } from "./host-handlers.ts";
import { claimHandlers, inputHandlers } from "./input-handlers.ts";
import { AttachLoopGuard } from "./attach-loop-guard.ts";
import type { Handler, Handlers, OperationsDeps } from "./handler.ts";
import { recordingHandlers } from "./recording-handlers.ts";
import { commandHandlers, terminalHandlers } from "./terminal-handlers.ts";
import { TerminalListing } from "./terminal-listing.ts";
import { type RecordingExport, Transfers } from "./transfers.ts";

/** A client is gone with its last connection. */
class ConnectedClients {
  readonly #registry: Registry;
  readonly #connections = new Map<ClientId, number>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  connect({ clientId }: Caller): void {
    if (clientId === undefined) return;
    const count = this.#connections.get(clientId) ?? 0;
    this.#connections.set(clientId, count + 1);
    if (count > 0) return;
    for (const { claims } of this.#registry.list()) claims.clientBack(clientId);
  }

  disconnect({ clientId }: Caller): void {
    if (clientId === undefined) return;
    const rest = (this.#connections.get(clientId) ?? 1) - 1;
    if (rest > 0) {
      this.#connections.set(clientId, rest);
      return;
    }
    this.#connections.delete(clientId);
    for (const { claims } of this.#registry.list()) claims.clientGone(clientId);
  }
}

/** The work continues when nobody waits any more. */
async function raceClientGone<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return await work;
  const gone = Promise.withResolvers<never>();
  const leave = (): void => gone.reject(clientGoneError());
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, gone.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** What was asked for may continue. */
const clientGoneError = (): NacreError =>
  new NacreError("unavailable", "the client is gone, nobody waits for this any more");

type Follow<Name extends SubscriptionName> = (
  input: SubscriptionInput<Name>,
  context: CallContext,
) => Promise<Feed<Name>>;

type Followers = { readonly [Name in SubscriptionName]: Follow<Name> };

/** Operations that create the terminal they name. */
const CREATORS: ReadonlySet<OperationName> = new Set(["createTerminal", "execCommand"]);

/** Every operation for a caller: parsed, authorised, executed, and audited when it changes something or is refused. */
export class Operations {
  readonly #deps: OperationsDeps;
  readonly #access: Access;
  readonly #trail: AuditTrail;
  readonly #digest = new AuditDigest();
  readonly #nesting = new AttachLoopGuard();
  readonly #clients: ConnectedClients;
  readonly #handlers: Handlers;
  readonly #followers: Followers;
  readonly #transfers: Transfers;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
    this.#access = new Access(deps.registry);
    this.#trail = new AuditTrail(deps.audit, deps.handleProblem);
    this.#clients = new ConnectedClients(deps.registry);
    this.#handlers = createHandlers(deps);
    const [access, trail] = [this.#access, this.#trail];
    this.#transfers = new Transfers({ registry: deps.registry, access, trail });
    this.#followers = {
      terminalFeed: async ({ id, ...options }, { caller }) =>
        new TerminalFeed(await this.#readable(id, caller), { ...options, caller: caller.id }),
      entityEvents: async ({ channel, after, types }, { caller }) => {
        // Host events concern everybody with terminals.
        const mayHear = ({ entityId, owner }: Pick<OwnedChannel, "entityId" | "owner">): boolean =>
          caller.scope !== "agent" ||
          entityId === HOST_ID ||
          (owner !== undefined && canSeeOwner(caller, owner));
        const options = { channels: channel, after, isResumable: true, mayHear };
        return new FilteredEvents(deps.bus.subscribe(options), types);
      },
    };
  }

  /** Changes nothing when refused; when the client is gone, started work continues. */
  async call<Name extends OperationName>(
    name: Name,
    input: unknown,
    context: CallContext,
  ): Promise<OperationOutput<Name>> {
    if (context.signal?.aborted) throw clientGoneError();
    return await raceClientGone(this.#audited(name, input, context), context.signal);
  }

  /** Ends with the client. */
  async follow<Name extends SubscriptionName>(
    name: Name,
    input: unknown,
    context: CallContext,
  ): Promise<Feed<Name>> {
    const parsed = await this.#admitted(name, input, context);
    const follow: Follow<Name> = this.#followers[name];
    return new ClientFeed(await follow(parsed, context), context.signal);
  }

  /** For byte transports: feed, and input where the caller may type. */
  async attach(id: TerminalId, options: FeedOptions, context: CallContext): Promise<Attachment> {
    await this.#admitted("terminalFeed", { id }, context);
    const { registry } = this.#deps;
    const terminal = await this.#readable(id, context.caller);
    const [trail, digest] = [this.#trail, this.#digest];
    const nested = context.inside && this.#nesting.enter(context.inside, id);
    return new Attachment({ terminal, registry, trail, digest, context, nested }, options);
  }

  /** Pulled at the caller's pace. */
  exportRecording(input: unknown, context: CallContext): Promise<RecordingExport> {
    return this.#transfers.exportRecording(input, context);
  }

  /** Streamed. */
  importRecording(
    input: unknown,
    pieces: AsyncIterable<Uint8Array>,
    context: CallContext,
  ): Promise<ImportRecordingResult> {
    return this.#transfers.importRecording(input, pieces, context);
  }

  terminals({ caller }: CallContext): TerminalListing {
    requireScope(OPERATIONS.listTerminals.scopes, caller, "listTerminals");
    return new TerminalListing(this.#deps.registry, caller);
  }

  /** A client without any other connection loses its claims after a while. */
  clientGone(caller: Caller): void {
    this.#clients.disconnect(caller);
  }

  clientBack(caller: Caller): void {
    this.#clients.connect(caller);
  }

  /** Recorded before anybody is answered. */
  async #audited<Name extends OperationName>(
    name: Name,
    input: unknown,
    context: CallContext,
  ): Promise<OperationOutput<Name>> {
    const operation: Operation = OPERATIONS[name];
    const request = new AuditedRequest(name, input);
    try {
      requireScope(operation.scopes, context.caller, name);
      // The schema of this name yields inputs of this name.
      const parsed = parse(operation.input, input) as OperationInput<Name>;
      request.note(this.#factsOf(AUDIT_FACTS, name, parsed));
      // The id of a new terminal is nobody's yet.
      if (!CREATORS.has(name)) await this.#access.requireAll(parsed, context.caller);
      request.isAdmitted = true;
      const handler: Handler<Name> = this.#handlers[name];
      const handleTyped = (isWithheld: boolean): void =>
        request.note(
          isWithheld ? { redacted: true } : this.#factsOf(INPUT_AUDIT_FACTS, name, parsed),
        );
      const output = await handler(parsed, { ...context, handleTyped });
      // During the read, the id may have passed to another owner.
      if (!operation.mutates) await this.#access.requireAll(parsed, context.caller);
      request.terminalId ??= findTerminalId(output);
      if (operation.mutates) await this.#trail.note(request.toAction(), context);
      return output;
    } catch (error) {
      const isTold = operation.mutates || request.isRefused(error);
      if (isTold) await this.#trail.note(request.toAction(error), context);
      throw error;
    }
  }

  /** The id may have passed to another owner since the caller was admitted. */
  async #readable(id: TerminalId, caller: Caller): ReturnType<Registry["readable"]> {
    const terminal = await this.#deps.registry.readable(id);
    if (canSeeOwner(caller, terminal.row.owner)) return terminal;
    throw terminalNotFound(id);
  }

  #factsOf<Name extends OperationName>(
    table: AuditFactsTable,
    name: Name,
    input: OperationInput<Name>,
  ): AuditFacts {
    const facts: AuditFactsTable[Name] = table[name];
    return facts?.(input, this.#digest) ?? {};
  }

  /** Parsed and authorised. */
  async #admitted<Name extends SubscriptionName>(
    name: Name,
    input: unknown,
    context: CallContext,
  ): Promise<SubscriptionInput<Name>> {
    const subscription: Subscription = SUBSCRIPTIONS[name];
    const request = new AuditedRequest(name, input);
    try {
      requireScope(subscription.scopes, context.caller, name);
      // The schema of this name yields inputs of this name.
      const parsed = parse(subscription.input, input) as SubscriptionInput<Name>;
      await this.#access.requireAll(parsed, context.caller);
      return parsed;
    } catch (error) {
      if (request.isRefused(error)) await this.#trail.note(request.toAction(error), context);
      throw error;
    }
  }
}

function createHandlers(deps: OperationsDeps): Handlers {
  return {
    ...terminalHandlers(deps),
    ...inputHandlers(deps),
    ...commandHandlers(deps),
    ...recordingHandlers(deps),
    ...claimHandlers(deps),
    ...hostHandlers(deps),
    ...credentialHandlers(deps),
  };
}
