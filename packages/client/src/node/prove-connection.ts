import { once } from "node:events";
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { type Socket } from "node:net";
import { NacreError } from "@nacre/contracts";
import { PROOF_PATH, proofChallenge } from "../proof.ts";

/** A proof is one line; who says more is no host. */
const MAX_PROOF_BYTES = 4096;

/** A host that runs answers at once; who does not answer is no host, or hangs. */
const MAX_PROOF_MS = 5000;

/** Lends one connection to one request and gets it back. */
class LentSocket extends Agent {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({ keepAlive: true });
    // By itself an agent would keep what is free, and take it for broken when others use it.
    this.removeAllListeners("free");
    this.#socket = socket;
  }

  override createConnection(): Socket {
    return this.#socket;
  }
}

/** Whom to ask for a proof, over which connection. */
export interface ProofOptions {
  readonly origin: string;
  readonly token: string;
  readonly socket: Socket;
  readonly maxMs?: number | undefined;
}

/** Lets the other end of a connection prove that it knows the token, and leaves the connection ready for use; destroys it otherwise. */
export async function proveConnection(options: ProofOptions): Promise<void> {
  const { origin, socket } = options;
  const fail = (cause?: unknown): NacreError =>
    new NacreError("forbidden", `what answers at ${origin} does not know the token`, {
      cause,
      suggestion:
        "The token was not sent. It may be revoked or another host's: check NACRE_TOKEN where that is set, and what listens there.",
    });
  const giveUp = (): void => void socket.destroy();
  socket.on("timeout", giveUp).setTimeout(options.maxMs ?? MAX_PROOF_MS);
  try {
    if (!(await Promise.race([isProven(options), untilClosed(socket)]))) throw fail();
  } catch (error) {
    socket.destroy();
    throw error instanceof NacreError ? error : fail(error);
  }
  // What was lent waits for nothing and keeps no process alive; what is used from now on does.
  socket.off("timeout", giveUp).setTimeout(0).ref();
}

/** A request over a connection that has ended already is told nothing. */
async function untilClosed(socket: Socket): Promise<boolean> {
  if (!socket.destroyed) await once(socket, "close");
  return false;
}

async function isProven({ origin, token, socket }: ProofOptions): Promise<boolean> {
  const challenge = await proofChallenge(token, new URL(origin).host);
  const agent = new LentSocket(socket);
  const request = httpRequest(origin + PROOF_PATH, {
    agent,
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  request.end(challenge.body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const returned = once(agent, "free");
  const answer: unknown = JSON.parse(await textOf(response));
  await returned;
  socket.emit("agentRemove");
  return response.statusCode === 200 && challenge.isProvenBy(answer);
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MAX_PROOF_BYTES) throw new RangeError("the proof is too long");
  }
  return text;
}
