import { createMcpHandler } from "@modelcontextprotocol/server";
import { NacreError } from "@nacre/contracts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/dispatch.ts";
import { createMcpServer, type McpServerParts } from "./create-mcp-server.ts";
import type { OperationCaller } from "./operation-caller.ts";
import { RequestsUnderWay } from "./requests-under-way.ts";

/** What an endpoint is made with. */
export interface McpEndpointParts extends Pick<McpServerParts, "version" | "handleProblem"> {
  readonly operations: Pick<Operations, "call">;
}

/** Answers messages of MCP that came over HTTP, each by itself and for the caller of its credential: nothing is kept between them. */
export class McpEndpoint implements AsyncDisposable {
  readonly #parts: McpEndpointParts;
  readonly #underWay = new RequestsUnderWay();
  readonly #contexts = new WeakMap<Request, CallContext>();
  readonly #handler = createMcpHandler(({ requestInfo }) => this.#serverFor(requestInfo));

  constructor(parts: McpEndpointParts) {
    this.#parts = parts;
  }

  /** Answers one message; an answer that takes long comes piece by piece, and ends with the signal of the request. */
  async answer(asked: Request, body: unknown, context: CallContext): Promise<Response> {
    const signal = this.#underWay.take(asked, body, context.caller.id);
    const request = new Request(asked, { signal });
    this.#contexts.set(request, context);
    const answer = await this.#handler.fetch(request, { parsedBody: body });
    return this.#underWay.name(body, answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handler.close();
  }

  #serverFor(request: Request | undefined) {
    const context = request && this.#contexts.get(request);
    // Without a caller nothing is allowed, whatever is asked.
    if (!context) throw new NacreError("unauthenticated", "a credential is needed");
    const { operations, version, handleProblem } = this.#parts;
    const caller: OperationCaller = {
      call: (name, input, { signal }) => operations.call(name, input, { ...context, signal }),
    };
    return createMcpServer({ caller, version, handleProblem });
  }
}
