import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { NacreError } from "@nacre/contracts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/operations.ts";
import type { McpServerOptions } from "./create-mcp-server.ts";
import type { OperationCaller } from "./operation-caller.ts";
import { ClaimNotices } from "./claim-notices.ts";
import { InFlightRequests } from "./in-flight-requests.ts";

export interface McpEndpointDeps extends Pick<McpServerOptions, "version" | "handleProblem"> {
  readonly operations: Pick<Operations, "call">;
}

/** MCP over HTTP, stateless per message and for its caller; only claim notices are kept in between. */
export class McpEndpoint implements AsyncDisposable {
  readonly #deps: McpEndpointDeps;
  readonly #inFlight = new InFlightRequests();
  readonly #contexts = new WeakMap<Request, CallContext>();
  readonly #notices = new ClaimNotices();
  #handler: Promise<McpHttpHandler> | undefined;

  constructor(deps: McpEndpointDeps) {
    this.#deps = deps;
  }

  /** A long answer is streamed, and ends with the request's signal. */
  async answer(asked: Request, body: unknown, context: CallContext): Promise<Response> {
    const signal = this.#inFlight.register(asked, body, context.caller.id);
    const request = new Request(asked, { signal });
    this.#contexts.set(request, context);
    this.#handler ??= this.#load();
    const { fetch } = await this.#handler;
    const answer = await fetch(request, { parsedBody: body });
    return this.#inFlight.assignSession(body, answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#handler)?.close();
  }

  /** Loaded on first use. */
  async #load(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("./create-mcp-server.ts"),
    ]);
    return createMcpHandler(({ requestInfo }) => createMcpServer(this.#optionsFor(requestInfo)));
  }

  #optionsFor(request: Request | undefined): McpServerOptions {
    const context = request && this.#contexts.get(request);
    // Without a caller nothing is allowed.
    if (!context) throw new NacreError("unauthenticated", "authentication required");
    const { operations, version, handleProblem } = this.#deps;
    const caller: OperationCaller = {
      call: (name, input, { signal }) => operations.call(name, input, { ...context, signal }),
    };
    const drivers = { told: this.#notices, callerId: context.caller.id };
    return { caller, version, handleProblem, drivers };
  }
}
