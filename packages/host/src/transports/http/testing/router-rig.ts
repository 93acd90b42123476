import { createServer, type IncomingMessage, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { CallerId, ClientId, type Scope } from "@nacre/contracts";
import type { AuthContext } from "../../../auth/auth-context.ts";
import type { RouterOptions } from "../route.ts";
import { createHttpRouter, type HttpRouter } from "../http-router.ts";
import { ScriptedOperations } from "./scripted-operations.ts";

/** Somebody with a credential. */
export const admissionOf = (scope: Scope): AuthContext => ({
  caller: { id: CallerId.parse("tester"), scope, clientId: ClientId.parse("tester") },
  credential: { name: "tester" },
  peer: "127.0.0.1:1",
  source: "127.0.0.1",
});

/** A router behind a real server, where the gate lets everybody in as one caller. */
export interface RouterRig extends AsyncDisposable {
  readonly url: string;
  readonly router: HttpRouter;
  readonly operations: ScriptedOperations;
  readonly problems: unknown[];
  /** Who comes next; nobody has no credential. */
  admission: AuthContext | undefined;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: string): Promise<Response>;
}

/** Starts a router with what is not said left as usual. */
export async function startRouter(
  options: Partial<RouterOptions> = {},
  operations = new ScriptedOperations(),
): Promise<RouterRig> {
  const problems: unknown[] = [];
  const router = createHttpRouter({
    operations: operations.port,
    prover: { prove: ({ nonce }) => ({ proof: nonce }) },
    foreignRoutes: [],
    mcp: { answer: async (_request, body) => Response.json({ body }) },
    metrics: { connections: () => new Map(), refusals: () => new Map() },
    openStream: () => ({ [Symbol.dispose]: () => undefined }),
    handleProblem: (error) => void problems.push(error),
    ...options,
  });
  const server = createServer((request, response) =>
    router.handleRequest(request, response, rig.admission),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const rig: RouterRig = {
    url,
    router,
    operations,
    problems,
    admission: admissionOf("operator"),
    fetch: (path, init) => fetch(url + path, init),
    post: (path, body) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      }),
    [Symbol.asyncDispose]: async () => {
      router[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return rig;
}

/** Opens a stream whose reader decides itself when it reads. */
export async function openRaw(url: string): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const request = httpRequest(url, (response) => {
      response.pause();
      response.on("error", () => undefined);
      resolve(response);
    });
    request.on("error", reject);
    request.end();
  });
}
