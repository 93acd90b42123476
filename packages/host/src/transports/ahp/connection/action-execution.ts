import type { Claim, TerminalId } from "@nacre/contracts";
import type { Attachment } from "../../../operations/attachment.ts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { Operations } from "../../../operations/operations.ts";
import type { Origin, RawAction } from "../channels/envelope.ts";
import type { TerminalChannel } from "../channels/terminal-channel.ts";
import { type ClientAction, parseClientAction, type TerminalAction } from "../protocol/action.ts";
import { invalidParams, JsonRpcError, RPC_CODES } from "../protocol/json-rpc.ts";
import { ownUriOf } from "../protocol/uri.ts";
import { type ConnectedClient, decodeClaim, resolveSpeaker } from "./connected-client.ts";

/** Per client; the least recently used is attached again later. */
const MAX_ATTACHMENTS = 32;

/** No feed: the channel publishes the results. */
const DRIVEN = { isInternal: true } as const;

/** The terminals that a client types into, each attached once per speaker. */
export class AttachmentCache implements Disposable {
  readonly #operations: Pick<Operations, "attach">;
  /** Least recently used first. */
  readonly #attached = new Map<string, Promise<Attachment>>();
  #isOver = false;

  constructor(operations: Pick<Operations, "attach">) {
    this.#operations = operations;
  }

  /** A failure is retried the next time. */
  async get(id: TerminalId, context: CallContext): Promise<Attachment> {
    const key = JSON.stringify([id, context.caller.session]);
    const attached = this.#attached.get(key) ?? this.#operations.attach(id, DRIVEN, context);
    this.#attached.delete(key);
    this.#attached.set(key, attached);
    this.#evictOldest();
    try {
      return await attached;
    } catch (error) {
      this.#evict(key);
      throw error;
    } finally {
      if (this.#isOver) this.#evict(key);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const key of this.#attached.keys()) this.#evict(key);
  }

  #evictOldest(): void {
    const [oldest] = this.#attached.keys();
    if (oldest !== undefined && this.#attached.size > MAX_ATTACHMENTS) this.#evict(oldest);
  }

  #evict(key: string): void {
    const attached = this.#attached.get(key);
    this.#attached.delete(key);
    // Waiters get the failure.
    attached?.then((attachment) => attachment[Symbol.dispose]()).catch(() => undefined);
  }
}

/** With a reason. */
export function rejectOnRoot({ action }: DispatchedAction): never {
  const { type } = parseClientAction(action);
  throw type === "root/configChanged"
    ? new JsonRpcError(RPC_CODES.permissionDenied, "this host is not configured by its clients")
    : invalidParams("action.type", `${type} belongs on the channel of a terminal`);
}

export interface ActionExecutionDeps {
  readonly client: ConnectedClient;
  readonly channel: TerminalChannel;
  readonly attachments: AttachmentCache;
  readonly dispatch: DispatchedAction;
}

export class ActionExecution {
  readonly #deps: ActionExecutionDeps;
  readonly #action: Exclude<ClientAction, { type: "root/configChanged" }>;

  /** Throws the reason for a rejection. */
  constructor(deps: ActionExecutionDeps) {
    const { dispatch, channel } = deps;
    this.#deps = deps;
    const action = parseClientAction(dispatch.action);
    if (action.type === "root/configChanged") {
      throw invalidParams("action.type", `${action.type} belongs on the root channel`);
    }
    requireSameChannel(dispatch, channel);
    this.#action = action;
  }

  /** Throws when it was not done. */
  async run(): Promise<void> {
    const action = this.#action;
    switch (action.type) {
      case "terminal/input":
        return await this.#type(action.data);
      case "terminal/resized":
        return await this.#expectEntry(action, () => this.#resize(action));
      case "terminal/claimed":
        return await this.#claim(decodeClaim(this.#deps.client, action.claim, this.#currentClaim));
      case "terminal/titleChanged":
        return await this.#expectEntry(action, () =>
          this.#call("renameTerminal", { title: action.title }),
        );
      case "terminal/cleared":
        return await this.#expectEntry(action, () => this.#call("clearTerminal", {}));
    }
  }

  get #currentClaim(): Claim | undefined {
    const { client, channel } = this.#deps;
    const { operations, context } = client.parts;
    using listing = operations.terminals(context);
    return listing.find(channel.terminalId)?.claim;
  }

  /** Started work continues although the client may be gone. */
  #context(wanted?: Claim): CallContext {
    const { client } = this.#deps;
    const context = client.untilDone;
    const { caller } = context;
    const { sessions } = client.record;
    const speaker = resolveSpeaker({ caller, sessions, present: this.#currentClaim, wanted });
    return { ...context, caller: speaker };
  }

  /** Once the program has room; a client that is gone waits no longer. */
  async #type(data: string): Promise<void> {
    const { client, channel, attachments, dispatch } = this.#deps;
    const { signal } = client.parts.context;
    const bytes = Buffer.from(data);
    const attachment = await attachments.get(channel.terminalId, this.#context());
    let isKeptBack = false;
    const handleTyped = (isWithheld: boolean): void => {
      isKeptBack = isWithheld;
    };
    await attachment.write(bytes, { whenFull: { signal }, handleTyped });
    channel.echoInput(data, dispatch.origin, isKeptBack);
  }

  async #resize({ cols, rows }: { readonly cols: number; readonly rows: number }): Promise<void> {
    const { channel, attachments } = this.#deps;
    const attachment = await attachments.get(channel.terminalId, this.#context());
    const real = await attachment.resize({ cols, rows });
    if (real.cols === cols && real.rows === rows) return;
    throw new JsonRpcError(
      RPC_CODES.conflict,
      `the size is ${real.cols}×${real.rows}: it follows who holds the terminal, and the newest wish`,
    );
  }

  async #claim(wanted: Claim): Promise<void> {
    const { client } = this.#deps;
    const context = this.#context(wanted);
    const present = this.#currentClaim;
    await this.#expectEntry({ type: "terminal/claimed", claim: wanted }, () =>
      this.#call("moveClaim", { claim: wanted, takeover: false }, context),
    );
    // Handing a terminal to a session means speaking for that session from then on.
    const isOwn = present?.kind === "client" && present.clientId === client.clientId;
    if (isOwn) client.speakFor(wanted);
  }

  /** An entry will confirm it. */
  async #expectEntry(action: TerminalAction, work: () => Promise<unknown>): Promise<void> {
    const { channel, dispatch } = this.#deps;
    const expectation = channel.expect(action, dispatch.origin);
    try {
      await work();
    } catch (error) {
      // Somebody else may have caused the same, which was then published as done by this client.
      if (expectation.cancel()) throw error;
      return;
    }
    await expectation.settle();
  }

  async #call(
    name: "renameTerminal" | "clearTerminal" | "moveClaim",
    input: object,
    context = this.#context(),
  ): Promise<void> {
    const { client, channel } = this.#deps;
    await client.parts.operations.call(name, { id: channel.terminalId, ...input }, context);
  }
}

/** Old versions also name the terminal in the action. */
function requireSameChannel({ action, uri }: DispatchedAction, channel: TerminalChannel): void {
  const named: unknown = Reflect.get(action, "terminal");
  const names: unknown[] = [undefined, uri, channel.uri, ownUriOf(channel.terminalId)];
  if (names.includes(named)) return;
  throw invalidParams("action.terminal", "names another channel than the one it is dispatched on");
}

export interface DispatchedAction {
  /** As the client names it. */
  readonly uri: string;
  /** As the client spelled it. */
  readonly action: RawAction;
  readonly origin: Origin;
}

/** Then publishes what is true instead, where known. */
export function rejectDispatch(
  { parts: { agentHost } }: ConnectedClient,
  { uri, action, origin }: DispatchedAction,
  reason: string,
  channel?: TerminalChannel,
): void {
  if (channel) channel.reject(action, origin, reason, uri);
  else agentHost.reject(uri, action, origin, reason);
}
