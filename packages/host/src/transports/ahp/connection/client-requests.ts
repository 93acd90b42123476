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

/** Answers a request; at once, so that what happens later comes later. */
export interface Responder {
  (result: unknown): void;
  /** The same with a result that is JSON already. */
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

/** The words for what is no mistake of the client; what really happened is in the log. */
const internalError = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.internalError, INTERNAL_ERROR_MESSAGE);

function encodeRawResponse(id: JsonRpcId, result: Buffer): Buffer {
  const [before, after] = ['{"jsonrpc":"2.0","id":', "}"];
  const head = Buffer.from(`${before}${JSON.stringify(id)},"result":`);
  return Buffer.concat([head, result, Buffer.from(after)]);
}

/** What the names of operations have before them where they are requests of this protocol. */
export const EXTENSION_PREFIX = "x-nacre/";

/** What such a request says: the terminal it is about, if any, and what its operation takes. */
const ExtensionParams = z.object({
  channel: z.string().default(ROOT_URI),
  input: z.record(z.string(), z.unknown()).optional(),
});

/** What operations call the terminal they are about, where that is not `id`. */
const TERMINAL_FIELDS: ReadonlyMap<OperationName, string> = new Map([
  ["findRecordingEntries", "terminalId"],
]);

/** Operations whose answers can be large; none of them waits for something to happen. */
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

/** The operation that a request stands for; nothing when it is none. */
function parseOperation(method: string): OperationName | undefined {
  const name = method.startsWith(EXTENSION_PREFIX) ? method.slice(EXTENSION_PREFIX.length) : "";
  return isOperation(name) ? name : undefined;
}

/** Does an operation; on the channel of a terminal its id need not be said. */
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

// What clients of hosts with agents ask for; a host of terminals has defined answers to it.

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

/** Why a request that this host has no answer to fails. */
function unsupportedRequest(method: string): JsonRpcError {
  const refuse = REFUSALS.get(method);
  return refuse?.() ?? new JsonRpcError(RPC_CODES.methodNotFound, "this host has no such method");
}

/** What a client whose handshake is done can ask for. */
export class ClientRequests {
  readonly #client: ConnectedClient;
  readonly #queue: KeyedSerialQueue;
  readonly #opener: ChannelOpener;
  readonly #snapshots: Semaphore;
  readonly #reads: Semaphore;
  /** Terminals that are being created. */
  readonly #creating = new Map<string, Promise<void>>();
  #inProgress = 0;

  /** What is dispatched on a terminal that is being created waits in the same queue. */
  constructor(client: ConnectedClient, queue: KeyedSerialQueue) {
    const { agentHost, context, limits } = client.parts;
    this.#client = client;
    this.#queue = queue;
    this.#opener = new ChannelOpener(agentHost, context, limits);
    this.#snapshots = new Semaphore(limits.snapshots);
    this.#reads = new Semaphore(limits.snapshots);
  }

  /** Answers a request, or throws why not. */
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

  /** Does an operation; answers of some megabytes are made a few at a time, when there is room for them. */
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
      // From here on nothing waits, so that nothing can happen between the snapshot and what follows it.
      const snapshot = prepared.take(this.#client.audience);
      if (wish.isWanted) subscriptions.follow(uri, channel, prepared.isProvisional);
      this.#client.record.noteSnapshot(uri, snapshot.fromSeq);
      reply({ snapshot });
      subscriptions.noteSent();
    });
  }

  /** Who asks for a terminal may use it at once; why there is none is said in the first answer. */
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
