import type { Socket } from "node:net";
import { type Caller, NacreError, parse } from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import { makeClientId } from "../../auth/auth-context.ts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/operations.ts";
import { parseJsonText } from "../../base/parse-json-text.ts";
import { type Line, LineSplitter, MAX_REQUEST_LINE_BYTES } from "../../operations/line-splitter.ts";
import { encodeIpcError, IpcRequest, IpcRequestId, LineWriter } from "./ipc-message.ts";
import { EventPump } from "./event-pump.ts";
import { IpcMethods } from "./ipc-methods.ts";

export interface IpcDeps {
  readonly operations: Operations;
  /** According to the kernel. */
  readonly caller: Caller;
  /** For the audit. */
  readonly peer?: string | undefined;
  /** Not the client's fault. */
  handleFault?(error: unknown): void;
}

/** Requests one after the other, so that input stays in order, and events in between. */
export async function serveIpc(socket: Socket, deps: IpcDeps): Promise<void> {
  using connection = new IpcConnection(socket, deps);
  await connection.run();
}

class IpcConnection implements Disposable {
  readonly #socket: Socket;
  readonly #deps: IpcDeps;
  readonly #writer: LineWriter;
  readonly #pump: EventPump;
  readonly #methods: IpcMethods;
  readonly #closed = new AbortController();
  /** Set by the first request, which names the client. */
  #caller: Caller | undefined;

  constructor(socket: Socket, deps: IpcDeps) {
    const { operations } = deps;
    this.#socket = socket;
    this.#deps = deps;
    this.#writer = new LineWriter(socket);
    this.#pump = new EventPump({
      open: (channel, after, types) => {
        // The pump ends its feeds by itself.
        const context = { ...this.#context(), signal: undefined };
        return operations.follow("entityEvents", { channel, after, types }, context);
      },
      writer: this.#writer,
      handleFault: this.#handleFault,
    });
    this.#methods = new IpcMethods(operations, this.#pump);
    // A connection that breaks is over, whatever the reason.
    socket.on("error", () => socket.destroy());
    socket.once("close", this.#handleClose);
    if (socket.destroyed) this.#handleClose();
  }

  async run(): Promise<void> {
    const splitter = new LineSplitter();
    try {
      for await (const chunk of this.#socket) {
        if (!(chunk instanceof Uint8Array)) throw new TypeError("the socket decodes what it reads");
        for (const line of splitter.push(chunk)) await this.#answer(line);
      }
    } catch (error) {
      if (!this.#closed.signal.aborted && !this.#socket.destroyed) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#handleClose();
    this.#socket.end();
  }

  readonly #handleClose = (): void => {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#pump[Symbol.dispose]();
    if (this.#caller) this.#deps.operations.clientGone(this.#caller);
  };

  readonly #handleFault = (error: unknown): void => {
    this.#deps.handleFault?.(error);
    this.#socket.destroy();
  };

  async #answer(line: Line): Promise<void> {
    if (this.#closed.signal.aborted) return;
    let id: IpcRequestId | null = null;
    try {
      const value = parseLine(line);
      id = parseId(value);
      const { method, params, clientId } = parse(IpcRequest, value);
      this.#identify(clientId);
      const result = await this.#methods.call(method, params, this.#context());
      await this.#writer.write({ type: "response", id, ok: true, result });
    } catch (error) {
      const failure = toNacreError(error);
      if (!(error instanceof NacreError)) this.#deps.handleFault?.(error);
      await this.#writer.write({ type: "response", id, ok: false, error: encodeIpcError(failure) });
    }
  }

  /** A connection is one client and stays that one. */
  #identify(label: string | undefined): void {
    const { caller, operations } = this.#deps;
    if (this.#caller !== undefined && label === undefined) return;
    const clientId = label === undefined ? caller.clientId : makeClientId(caller.id, label);
    if (this.#caller === undefined) {
      this.#caller = { ...caller, clientId };
      operations.clientBack(this.#caller);
    } else if (this.#caller.clientId !== clientId) {
      throw new NacreError(
        "invalid_argument",
        "clientId: differs from the client of this connection",
        {
          field: "clientId",
          suggestion: "Send it with the first request, and open a connection for each client.",
        },
      );
    }
  }

  #context(): CallContext {
    const { caller, peer } = this.#deps;
    return { caller: this.#caller ?? caller, via: "ipc", peer, signal: this.#closed.signal };
  }
}

function parseLine(line: Line): unknown {
  if (line.kind === "line") return parseJsonText(line.bytes);
  throw new NacreError(
    "payload_too_large",
    `a line is longer than ${MAX_REQUEST_LINE_BYTES} bytes`,
  );
}

/** Even of an invalid request, so that its client knows which one it was. */
function parseId(value: unknown): IpcRequestId | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return IpcRequestId.safeParse(id).data ?? null;
}
