import { connect } from "node:net";
import { NacreError } from "@nacre/contracts/error";

/** One request of its own connection. */
export interface OneRequest {
  readonly socketPath: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What came back. */
export interface OneAnswer {
  readonly status: number;
  readonly text: string;
}

const NOT_ANSWERED = "the host does not answer on its socket";
const BROKEN = "the connection broke within the answer; what was asked for may have happened";

/** Sends one request over a unix socket and reads its answer to the end. It says HTTP/1.0, so that the answer has a plain body and ends with the connection: loading all that Node has for HTTP takes longer than asking. */
export async function oneRequest(request: OneRequest): Promise<OneAnswer> {
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
    // Who gave up is told so, whatever the connection said to that.
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
  // A line break in a path or a header would begin another one; neither can have it, and this makes sure.
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
