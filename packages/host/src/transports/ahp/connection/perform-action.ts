import { setTimeout as wait } from "node:timers/promises";
import { type Caller, type Claim, NacreError } from "@nacre/contracts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { TerminalChannel } from "../channels/terminal-channel.ts";
import { type ClientAction, parseClientAction, type TerminalAction } from "../protocol/action.ts";
import { invalidParams, RPC_CODES, RpcError } from "../protocol/rpc-error.ts";
import { ownUriOf } from "../protocol/uri.ts";
import type { Attachments } from "./attachments.ts";
import { claimFromWire } from "./claims.ts";
import type { ConnectedClient } from "./connected-client.ts";
import type { Dispatch } from "./dispatch.ts";
import { speakerOf } from "./speaking.ts";

/** Refuses whatever is dispatched on the root channel, and says why. */
export function refuseOnRoot({ action }: Dispatch): never {
  const { type } = parseClientAction(action);
  throw type === "root/configChanged"
    ? new RpcError(RPC_CODES.permissionDenied, "this host is not configured by its clients")
    : invalidParams("action.type", `${type} belongs on the channel of a terminal`);
}

/** What happens on the channel of a terminal is done by. */
export interface PerformanceParts {
  readonly client: ConnectedClient;
  readonly channel: TerminalChannel;
  readonly attachments: Attachments;
  readonly dispatch: Dispatch;
}

/** One action of a client on the channel of a terminal. */
export class Performance {
  readonly #parts: PerformanceParts;
  readonly #action: Exclude<ClientAction, { type: "root/configChanged" }>;

  /** Takes what a client may want there, or throws why it may not. */
  constructor(parts: PerformanceParts) {
    const { dispatch, channel } = parts;
    this.#parts = parts;
    const action = parseClientAction(dispatch.action);
    if (action.type === "root/configChanged") {
      throw invalidParams("action.type", `${action.type} belongs on the root channel`);
    }
    requireSameChannel(dispatch, channel);
    this.#action = action;
  }

  /** Does it, and tells everybody; throws where it was not done. */
  async run(): Promise<void> {
    const action = this.#action;
    switch (action.type) {
      case "terminal/input":
        return await this.#type(action.data);
      case "terminal/resized":
        return await this.#expecting(action, () => this.#resize(action));
      case "terminal/claimed":
        return await this.#claim(claimFromWire(this.#parts.client, action.claim, this.#present));
      case "terminal/titleChanged":
        return await this.#expecting(action, () =>
          this.#call("renameTerminal", { title: action.title }),
        );
      case "terminal/cleared":
        return await this.#expecting(action, () => this.#call("clearTerminal", {}));
    }
  }

  /** Who holds the terminal now. */
  get #present(): Claim | undefined {
    const { client, channel } = this.#parts;
    const { operations, context } = client.parts;
    using listing = operations.terminals(context);
    return listing.find(channel.terminalId)?.claim;
  }

  /** Who asks; what began goes on although the client may be gone. */
  #context(wanted?: Claim): CallContext {
    const { client } = this.#parts;
    const context = client.untilDone;
    const { sessions } = client.record;
    const present = this.#present;
    const caller: Caller = speakerOf({
      caller: context.caller,
      sessions,
      present,
      ...(wanted ? { wanted } : {}),
    });
    return { ...context, caller };
  }

  /** Types it once the program has room for it; a client that is gone waits no longer. */
  async #type(data: string): Promise<void> {
    const { client, channel, attachments, dispatch } = this.#parts;
    const { signal } = client.parts.context;
    const bytes = Buffer.from(data);
    const attachment = await attachments.get(channel.terminalId, this.#context());
    let isKeptBack = false;
    for (;;) {
      try {
        await attachment.write(bytes, (isWithheld) => {
          isKeptBack = isWithheld;
        });
        break;
      } catch (error) {
        const isFull = error instanceof NacreError && error.code === "input_queue_full";
        if (!isFull || signal?.aborted) throw error;
        await wait(client.parts.limits.retryMs);
      }
    }
    channel.echoInput(data, dispatch.origin, isKeptBack);
  }

  async #resize({ cols, rows }: { readonly cols: number; readonly rows: number }): Promise<void> {
    const { channel, attachments } = this.#parts;
    const attachment = await attachments.get(channel.terminalId, this.#context());
    const real = await attachment.resize({ cols, rows });
    if (real.cols === cols && real.rows === rows) return;
    throw new RpcError(
      RPC_CODES.conflict,
      `the size is ${real.cols}×${real.rows}: it follows who holds the terminal, and the newest wish`,
    );
  }

  async #claim(wanted: Claim): Promise<void> {
    const { client } = this.#parts;
    const context = this.#context(wanted);
    const present = this.#present;
    await this.#expecting({ type: "terminal/claimed", claim: wanted }, () =>
      this.#call("moveClaim", { claim: wanted, takeover: false }, context),
    );
    // Who hands its terminal to a session speaks for that session from then on.
    const isOwn = present?.kind === "client" && present.clientId === client.clientId;
    if (isOwn) client.speakFor(wanted);
  }

  /** Does something that an entry will tell of. */
  async #expecting(action: TerminalAction, work: () => Promise<unknown>): Promise<void> {
    const { channel, dispatch } = this.#parts;
    const expectation = channel.expect(action, dispatch.origin);
    try {
      await work();
    } catch (error) {
      // Somebody else may have brought about the same, which was told as done by this client then.
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
    const { client, channel } = this.#parts;
    await client.parts.operations.call(name, { id: channel.terminalId, ...input }, context);
  }
}

/** Clients of old versions also name the terminal in the action. */
function requireSameChannel({ action, uri }: Dispatch, channel: TerminalChannel): void {
  const named: unknown = Reflect.get(action, "terminal");
  const names: unknown[] = [undefined, uri, channel.uri, ownUriOf(channel.terminalId)];
  if (names.includes(named)) return;
  throw invalidParams("action.terminal", "names another channel than the one it is dispatched on");
}
