import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Caller } from "@nacre/contracts";
import { type Host, LOCAL_CALLER } from "@nacre/host";
import { serveIpc } from "../../packages/host/src/transports/ipc/serve-ipc.ts";
import { LineClient } from "../support/line-client.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { openHost } from "../support/open-host.ts";

/** A host behind a unix socket of its own. */
export interface IpcServer extends AsyncDisposable {
  readonly host: Host;
  /** The host's end of each connection. */
  readonly sockets: Socket[];
  /** Connections that were served to their end. */
  readonly served: Promise<void>[];
  /** What failed and was nobody's mistake. */
  readonly faults: unknown[];
  /** Opens a connection of a caller. */
  connect(caller?: Caller): Promise<LineClient>;
}

/** Opens a host and serves it on a unix socket. */
export async function openIpc(): Promise<IpcServer> {
  await using stack = new AsyncDisposableStack();
  const host = stack.use(await openHost());
  const directory = stack.use(ownDirectory());
  const { operations } = host;
  const faults: unknown[] = [];
  const sockets: Socket[] = [];
  const served: Promise<void>[] = [];
  const callers: Caller[] = [];
  const server = createServer((socket) => {
    const caller = callers.shift() ?? LOCAL_CALLER;
    sockets.push(socket);
    const handleFault = (error: unknown): void => void faults.push(error);
    served.push(serveIpc(socket, { operations, caller, peer: "uid 0", handleFault }));
  });
  const path = join(directory.path, "host.sock");
  server.listen(path);
  await once(server, "listening");
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const parts = stack.move();
  return {
    host,
    sockets,
    served,
    faults,
    connect: async (caller = LOCAL_CALLER) => {
      callers.push(caller);
      const client = new LineClient(path);
      await once(client.socket, "connect");
      return client;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
