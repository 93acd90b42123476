import { connect } from "node:net";
import type { OperationInput, OperationName, OperationOutput, OPERATIONS } from "@nacre/contracts";
import { decodeError, NacreError } from "@nacre/contracts/error";
import type { CallOptions } from "../client.ts";
import { encodeQuery, fillPath } from "../http-wire.ts";

interface OneRequest {
  readonly socketPath: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface OneAnswer {
  readonly status: number;
  readonly text: string;
}

const NOT_ANSWERED = "the host does not answer on its socket";
const BROKEN = "the connection broke within the answer; what was asked for may have happened";

/**
 * HTTP/1.0 over a unix socket: a plain body that ends with the connection. Loading Node's HTTP client takes longer than
 * asking.
 */
async function oneRequest(request: OneRequest): Promise<OneAnswer> {
  const { signal } = request;
  signal?.throwIfAborted();
  const socket = connect(request.socketPath);
  const abort = (): void => void socket.destroy();
  signal?.addEventListener("abort", abort);
  const chunks: Buffer[] = [];
  try {
    socket.write(textOf(request));
    for await (const chunk of socket) chunks.push(chunk as Buffer);
  } catch (cause) {
    throw new NacreError("unavailable", chunks.length === 0 ? NOT_ANSWERED : BROKEN, { cause });
  } finally {
    signal?.removeEventListener("abort", abort);
    // An abort is reported as such, whatever the connection said.
    signal?.throwIfAborted();
  }
  return answerOf(Buffer.concat(chunks));
}

function textOf({ method, path, headers, body = "" }: OneRequest): string {
  const length = Buffer.byteLength(body);
  const fields = Object.entries({
    host: "localhost",
    ...headers,
    ...(length > 0 ? { "content-length": String(length) } : {}),
  });
  // A line break in a path or header would start another one; this makes sure there is none.
  const head = [
    `${method} ${path} HTTP/1.0`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
  ];
  if (head.some((line) => /[\r\n]/.test(line))) throw new TypeError("a header has a line break");
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function answerOf(bytes: Buffer): OneAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  const head = end === -1 ? "" : bytes.toString("latin1", 0, end);
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head)?.[1];
  if (status === undefined) throw new NacreError("unavailable", NOT_ANSWERED);
  const body = bytes.subarray(end + 4);
  const length = /^content-length: *(\d+) *$/im.exec(head)?.[1];
  if (length !== undefined && Number(length) !== body.length) {
    throw new NacreError("unavailable", BROKEN);
  }
  return { status: Number(status), text: body.toString("utf8") };
}

type Route<Name extends OperationName> = (typeof OPERATIONS)[Name]["http"];

/** The routes without the schemas; the compiler compares them with the table. */
const ROUTES: {
  readonly [Name in OperationName]: `${Route<Name>["method"]} ${Route<Name>["path"]}`;
} = {
  createTerminal: "POST /api/terminals",
  listTerminals: "GET /api/terminals",
  readTerminal: "GET /api/terminals/{id}",
  renameTerminal: "PATCH /api/terminals/{id}",
  disposeTerminal: "DELETE /api/terminals/{id}",
  disposeTerminals: "DELETE /api/terminals",
  signalTerminal: "POST /api/terminals/{id}/signal",
  killTerminal: "POST /api/terminals/{id}/kill",
  readScreen: "GET /api/terminals/{id}/screen",
  sendInput: "POST /api/terminals/{id}/input",
  pasteText: "POST /api/terminals/{id}/paste",
  resizeTerminal: "POST /api/terminals/{id}/resize",
  clearTerminal: "POST /api/terminals/{id}/clear",
  requestInput: "POST /api/terminals/{id}/input-requests",
  answerInput: "POST /api/terminals/{id}/input-requests/{requestId}",
  readInputRequest: "GET /api/terminals/{id}/input-requests/{requestId}",
  withdrawInput: "DELETE /api/terminals/{id}/input-requests/{requestId}",
  markRecording: "POST /api/terminals/{id}/markers",
  runCommand: "POST /api/terminals/{id}/commands",
  listCommands: "GET /api/terminals/{id}/commands",
  readCommand: "GET /api/terminals/{id}/commands/{commandId}",
  execCommand: "POST /api/exec",
  waitFor: "POST /api/terminals/{id}/wait",
  readOutput: "GET /api/terminals/{id}/output",
  findRecordingEntries: "GET /api/terminals/{terminalId}/recording",
  searchRecordings: "GET /api/search",
  listRecordings: "GET /api/recordings",
  readTimeline: "GET /api/recordings/{id}/timeline",
  verifyRecording: "GET /api/recordings/{id}/verdict",
  pruneRecordings: "POST /api/recordings/prune",
  deleteRecording: "DELETE /api/recordings/{id}",
  readClaim: "GET /api/terminals/{id}/claim",
  moveClaim: "POST /api/terminals/{id}/claim",
  handBackClaim: "POST /api/terminals/{id}/claim/hand-back",
  requestControl: "POST /api/terminals/{id}/control-requests",
  answerControl: "POST /api/terminals/{id}/control-requests/{requestId}",
  readHost: "GET /api/host",
  changeLimits: "PUT /api/limits",
  listAudit: "GET /api/audit",
  listTokens: "GET /api/tokens",
  createToken: "POST /api/tokens",
  rotateToken: "POST /api/tokens/{name}/rotate",
  revokeToken: "DELETE /api/tokens/{name}",
  createTicket: "POST /api/tickets",
};

export type QuickCall = <Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  options?: CallOptions,
) => Promise<OperationOutput<Name>>;

export interface QuickOptions {
  readonly socketPath: string;
  readonly clientLabel?: string | undefined;
}

/**
 * Operations over the unix socket without validating the answers: only for a host of this very version, since building
 * all schemas takes longer than a short-lived program runs. The host validates the input in any case.
 */
export function quickCaller({ socketPath, clientLabel }: QuickOptions): QuickCall {
  return async <Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    { signal }: CallOptions = {},
  ) => {
    const [method = "GET", template = ""] = ROUTES[name].split(" ");
    const { path, rest } = fillPath(template, input);
    const inQuery = method === "GET" || method === "DELETE";
    const { status, text } = await oneRequest({
      socketPath,
      method,
      path: inQuery ? path + encodeQuery(rest) : path,
      headers: {
        accept: "application/json",
        ...(clientLabel === undefined ? {} : { "nacre-client-id": clientLabel }),
        ...(inQuery ? {} : { "content-type": "application/json" }),
      },
      body: inQuery ? undefined : JSON.stringify(rest),
      signal,
    });
    const answer = parseJson(text);
    if (status >= 300) {
      const { error }: { readonly error?: unknown } = Object(answer);
      throw decodeError(error, "unexpected_answer");
    }
    // The same version of the host wrote it by this operation's schema.
    return answer as OperationOutput<Name>;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NacreError("unexpected_answer", "the answer of the host is truncated", { cause });
  }
}
