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

/** Answers messages of MCP that came over HTTP, each by itself and for the caller of its credential. Between them only is kept whom it was told that others drive. */
export class McpEndpoint implements AsyncDisposable {
  readonly #deps: McpEndpointDeps;
  readonly #inFlight = new InFlightRequests();
  readonly #contexts = new WeakMap<Request, CallContext>();
  readonly #notices = new ClaimNotices();
  #handler: Promise<McpHttpHandler> | undefined;

  constructor(deps: McpEndpointDeps) {
    this.#deps = deps;
  }

  /** Answers one message; an answer that takes long comes piece by piece, and ends with the signal of the request. */
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

  /** A host that no agent uses does not load what only agents need. */
  async #load(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("./create-mcp-server.ts"),
    ]);
    return createMcpHandler(({ requestInfo }) => createMcpServer(this.#optionsFor(requestInfo)));
  }

  #optionsFor(request: Request | undefined): McpServerOptions {
    const context = request && this.#contexts.get(request);
    // Without a caller nothing is allowed, whatever is asked.
    if (!context) throw new NacreError("unauthenticated", "authentication required");
    const { operations, version, handleProblem } = this.#deps;
    const caller: OperationCaller = {
      call: (name, input, { signal }) => operations.call(name, input, { ...context, signal }),
    };
    const drivers = { told: this.#notices, callerId: context.caller.id };
    return { caller, version, handleProblem, drivers };
  }
}
