import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { NewAuditRecord } from "@nacre/contracts";
import type { AuthContext } from "../auth-context.ts";
import type { Clock } from "../../base/clock.ts";
import { describeTcpListener } from "../check-request.ts";
import { type GuardedHandlers, SERVER_OPTIONS, ServerGuard } from "../server-guard.ts";
import { createPeerReader } from "../peer.ts";
import { Tickets } from "../tickets.ts";
import { Tokens } from "../tokens.ts";
import { makePrivateDirectory } from "./private-directory.ts";

/** What reached a transport. */
interface Reached {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly admission: AuthContext | undefined;
}

export interface GuardedOptions extends Partial<GuardedHandlers> {
  readonly clock?: Clock;
}

/** A real HTTP server behind the gate, with a transport that notes what reaches it. */
export async function startGuarded({ clock, ...handlers }: GuardedOptions = {}) {
  const directory = makePrivateDirectory();
  const tokens = new Tokens(directory.path, clock);
  const tickets = new Tickets(clock);
  const records: NewAuditRecord[] = [];
  const reports: unknown[] = [];
  const reached: Reached[] = [];
  const note = ({ url, headers, rawHeaders }: IncomingMessage, admission?: AuthContext): void => {
    reached.push({ url, headers, rawHeaders: [...rawHeaders], admission });
  };
  const guard = new ServerGuard({
    tokens,
    tickets,
    audit: { append: (record) => Promise.resolve(void records.push(record)) },
    readPeer: createPeerReader(directory.path),
    report: (error) => reports.push(error),
    ...(clock === undefined ? {} : { clock }),
  });
  const server = createServer(SERVER_OPTIONS);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP listener");
  const { port } = address;
  const all: GuardedHandlers = {
    publicPaths: ["/", "/healthz"],
    handleRequest: (request, response, admission) => {
      note(request, admission);
      response.end("let in");
    },
    handleUpgrade: (request, socket, _head, admission) => {
      note(request, admission);
      socket.resume();
      socket.once("end", () => socket.end());
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      );
    },
    ...handlers,
  };
  guard.guardServer(server, describeTcpListener({ port }), all);
  return {
    port,
    to: { port, host: "127.0.0.1" },
    host: `Host: 127.0.0.1:${port}`,
    bearer: `Authorization: Bearer ${tokens.operatorSecret}`,
    directory: directory.path,
    tokens,
    tickets,
    guard,
    server,
    records,
    reports,
    reached,
    handlers: all,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      guard[Symbol.dispose]();
      tokens[Symbol.dispose]();
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
      directory[Symbol.dispose]();
    },
  };
}
