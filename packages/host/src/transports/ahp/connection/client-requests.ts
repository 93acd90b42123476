import { NacreError, type OperationName, OPERATIONS } from "@nacre/contracts";
import { INTERNAL_ERROR_MESSAGE } from "../../../base/to-nacre-error.ts";
import { z } from "zod";
import { requesterOf } from "../../../operations/call-context.ts";
import {
  encodeErrorResponse,
  encodeResponse,
  invalidParams,
  JsonRpcError,
  type JsonRpcId,
  RPC_CODES,
  toJsonRpcError,
} from "../protocol/json-rpc.ts";
import { parseParams, SubscribeParams } from "../protocol/params.ts";
import { isRoot, ROOT_URI } from "../protocol/uri.ts";
import type { KeyedSerialQueue } from "../../../base/serial-queue.ts";
import { Semaphore } from "./semaphore.ts";
import { ChannelOpener, normalizeChannelUri } from "./channel-opener.ts";
import type { ConnectedClient } from "./connected-client.ts";
import type { Outbox } from "./outbox.ts";
import { disposeTerminal, planCreation, refuseAddress } from "./terminal-requests.ts";
import type { MessageFrame } from "./wire.ts";

/** Synchronous, so that later events come later. */
export interface Responder {
  (result: unknown): void;
  /** The result is JSON already. */
  json(result: Buffer): void;
}

/** Does a request and answers it exactly once, whatever becomes of it. */
export async function respond(
  id: JsonRpcId,
  {
    outbox,
    handleProblem,
  }: { outbox: Pick<Outbox, "answer">; handleProblem: (error: unknown) => void },
  work: (reply: Responder) => Promise<void> | void,
): Promise<void> {
  let isAnswered = false;
  const send = (makeFrame: () => MessageFrame): void => {
    if (isAnswered) throw new Error("a request was answered twice");
    const frame = makeFrame();
    isAnswered = true;
    outbox.answer(frame);
  };
  const reply: Responder = Object.assign(
    (result: unknown): void => send(() => encodeResponse(id, result)),
    { json: (result: Buffer): void => send(() => encodeRawResponse(id, result)) },
  );
  try {
    await work(reply);
    if (!isAnswered) throw new Error("a request was not answered");
  } catch (error) {
    const known = toJsonRpcError(error);
    if (!known || isAnswered) handleProblem(error);
    if (!isAnswered) send(() => encodeErrorResponse(id, known ?? internalError()));
  }
}

/** The log has the details. */
const internalError = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.internalError, INTERNAL_ERROR_MESSAGE);

function encodeRawResponse(id: JsonRpcId, result: Buffer): Buffer {
  const [before, after] = ['{"jsonrpc":"2.0","id":', "}"];
  const head = Buffer.from(`${before}${JSON.stringify(id)},"result":`);
  return Buffer.concat([head, result, Buffer.from(after)]);
}

/** Prefix of operations as requests of this protocol. */
export const EXTENSION_PREFIX = "x-nacre/";

const ExtensionParams = z.object({
  channel: z.string().default(ROOT_URI),
  input: z.record(z.string(), z.unknown()).optional(),
});

/** Operations that do not name their terminal `id`. */
const TERMINAL_FIELDS: ReadonlyMap<OperationName, string> = new Map([
  ["findRecordingEntries", "terminalId"],
]);

/** None of them waits for something to happen. */
const LARGE_ANSWERS: ReadonlySet<OperationName> = new Set([
  "findRecordingEntries",
  "searchRecordings",
  "listRecordings",
  "listCommands",
  "listTerminals",
  "listAudit",
  "readCommand",
  "readOutput",
  "readScreen",
]);

const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** Undefined when it is none. */
function parseOperation(method: string): OperationName | undefined {
  const name = method.startsWith(EXTENSION_PREFIX) ? method.slice(EXTENSION_PREFIX.length) : "";
  return isOperation(name) ? name : undefined;
}

/** The channel supplies the terminal's id. */
async function callOperation(
  { parts }: ConnectedClient,
  name: OperationName,
  params: unknown,
): Promise<unknown> {
  const { channel, input = {} } = parseParams(ExtensionParams, params);
  if (name === "createTerminal") refuseAddress(input["owner"], "input.owner");
  const { agentHost, operations, context } = parts;
  if (isRoot(channel)) return await operations.call(name, input, context);
  const id = agentHost.findTerminal(channel, context);
  if (id === undefined) {
    throw new JsonRpcError(RPC_CODES.notFound, "channel: there is no such terminal");
  }
  const field = TERMINAL_FIELDS.get(name) ?? "id";
  return await operations.call(name, { [field]: id, ...input }, context);
}

// Requests for agents; a terminal host answers them as the protocol defines.

const noProvider = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.providerNotFound, "this host has terminals but no agents");

const noSession = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.sessionNotFound, "this host has terminals but no sessions of agents");

const noAccess = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.permissionDenied, "this host hands out no resources");

const nothingProtected = (): JsonRpcError =>
  invalidParams("resource", "nothing of this host is protected by it");

const REFUSALS: ReadonlyMap<string, () => JsonRpcError> = new Map([
  ...["createSession", "resolveSessionConfig", "sessionConfigCompletions"].map(
    (method) => [method, noProvider] as const,
  ),
  ...[
    "disposeSession",
    "createChat",
    "disposeChat",
    "fetchTurns",
    "completions",
    "invokeChangesetOperation",
  ].map((method) => [method, noSession] as const),
  ["resourceRequest", noAccess],
  ["authenticate", nothingProtected],
]);

function unsupportedRequest(method: string): JsonRpcError {
  const refuse = REFUSALS.get(method);
  return refuse?.() ?? new JsonRpcError(RPC_CODES.methodNotFound, "this host has no such method");
}

/** Requests after the handshake. */
export class ClientRequests {
  readonly #client: ConnectedClient;
  readonly #queue: KeyedSerialQueue;
  readonly #opener: ChannelOpener;
  readonly #snapshots: Semaphore;
  readonly #reads: Semaphore;
  /** Terminals being created. */
  readonly #creating = new Map<string, Promise<void>>();
  #inProgress = 0;

  /** Dispatches on a terminal being created wait in the same queue. */
  constructor(client: ConnectedClient, queue: KeyedSerialQueue) {
    const { agentHost, context, limits } = client.parts;
    this.#client = client;
    this.#queue = queue;
    this.#opener = new ChannelOpener(agentHost, context, limits);
    this.#snapshots = new Semaphore(limits.snapshots);
    this.#reads = new Semaphore(limits.snapshots);
  }

  async handle(method: string, params: unknown, reply: Responder): Promise<void> {
    const { requests: most } = this.#client.parts.limits;
    if (this.#inProgress >= most) {
      throw new NacreError("limit_reached", `${most} requests of this connection wait already`);
    }
    this.#inProgress++;
    try {
      await this.#answer(method, params, reply);
    } finally {
      this.#inProgress--;
    }
  }

  async #answer(method: string, params: unknown, reply: Responder): Promise<void> {
    const operation = parseOperation(method);
    if (method === "createTerminal") await this.#create(params, reply);
    else if (method === "subscribe") await this.#subscribe(params, reply);
    else if (method === "disposeTerminal") {
      await this.#created(params);
      await disposeTerminal(this.#client, this.#queue, params);
      reply(null);
    } else if (operation) {
      await this.#created(params);
      await this.#operate(operation, params, reply);
    } else if (method === "listSessions") reply({ items: [] });
    else throw unsupportedRequest(method);
  }

  /** Large answers are made a few at a time, when there is room. */
  async #operate(operation: OperationName, params: unknown, reply: Responder): Promise<void> {
    const call = async (): Promise<void> =>
      reply(await callOperation(this.#client, operation, params));
    if (!LARGE_ANSWERS.has(operation)) return await call();
    await this.#reads.run(async () => {
      await this.#client.parts.outbox.room();
      await call();
    });
  }

  async #subscribe(params: unknown, reply: Responder): Promise<void> {
    const uri = normalizeChannelUri(parseParams(SubscribeParams, params).channel);
    const { subscriptions, outbox } = this.#client.parts;
    using wish = subscriptions.addPending(uri);
    await this.#created(params);
    await this.#snapshots.run(async () => {
      await outbox.room();
      const channel = await this.#opener.open(uri);
      const requester = requesterOf(this.#client.parts.context);
      using prepared = await channel.prepare(uri, { requester });
      // Nothing is awaited from here on: nothing can happen between the snapshot and what follows it.
      const snapshot = prepared.take(this.#client.audience);
      if (wish.isWanted) subscriptions.follow(uri, channel, prepared.isProvisional);
      this.#client.record.noteSnapshot(uri, snapshot.fromSeq);
      reply({ snapshot });
      subscriptions.noteSent();
    });
  }

  /** A client may use a terminal right after asking for it; the first answer tells why there is none. */
  async #created(params: unknown): Promise<void> {
    const channel: unknown =
      typeof params === "object" && params !== null && "channel" in params && params.channel;
    if (typeof channel === "string") await this.#creating.get(channel)?.catch(() => undefined);
  }

  async #create(params: unknown, reply: Responder): Promise<void> {
    const { uri, run } = planCreation(this.#client, params);
    const creating = this.#queue.run(uri, run);
    this.#creating.set(uri, creating);
    try {
      await creating;
    } finally {
      if (this.#creating.get(uri) === creating) this.#creating.delete(uri);
    }
    reply(null);
  }
}
