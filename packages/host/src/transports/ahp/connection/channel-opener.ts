import { setImmediate } from "node:timers/promises";
import { type CallContext, requesterOf } from "../../../operations/call-context.ts";
import type { AgentHost } from "../channels/agent-host.ts";
import type { Channel, PreparedSnapshot } from "../channels/channel.ts";
import { TerminalChannel } from "../channels/terminal-channel.ts";
import { JsonRpcError, RPC_CODES } from "../protocol/json-rpc.ts";
import { isRoot, ROOT_URI } from "../protocol/uri.ts";
import { Semaphore } from "./semaphore.ts";
import type { ConnectionLimits } from "./connection-limits.ts";

/** A client may name thousands of channels; after so many others get a turn. */
const NAMES_PER_TURN = 64;

export interface NamedChannel {
  readonly uri: string;
  readonly channel: Channel;
}

/** One name for the root; terminals keep what was requested. */
export const normalizeChannelUri = (uri: string): string => (isRoot(uri) ? ROOT_URI : uri);

export const isChannelNotFound = (error: unknown): boolean =>
  error instanceof JsonRpcError && error.code === RPC_CODES.notFound;

export const isChannelEnded = (channel: Channel): boolean =>
  channel instanceof TerminalChannel && channel.isEnded;

export class ChannelOpener {
  readonly #agentHost: AgentHost;
  readonly #context: CallContext;
  readonly #semaphore: Semaphore;
  /** Characters of snapshots that may still be prepared. */
  #remainingLength: number;

  constructor(
    agentHost: AgentHost,
    context: CallContext,
    limits: Pick<ConnectionLimits, "snapshots" | "handshakeLength">,
  ) {
    this.#agentHost = agentHost;
    this.#context = context;
    this.#semaphore = new Semaphore(limits.snapshots);
    this.#remainingLength = limits.handshakeLength;
  }

  /** Snapshots were left out because all together were too large. */
  get isFull(): boolean {
    return this.#remainingLength < 0;
  }

  /** Throws -32008. */
  async open(name: string): Promise<Channel> {
    if (isRoot(name)) return this.#agentHost.rootFor(this.#context);
    return await this.#agentHost.openTerminal(name, this.#context);
  }

  /** Existing channels, each once and in order. */
  async openAll(names: readonly string[]): Promise<readonly NamedChannel[]> {
    const wanted = [...new Set(names.map(normalizeChannelUri))];
    for (;;) {
      const found = await this.#openEach(wanted);
      // While the last ones were opened, the first may have ended.
      if (!found.some(({ channel }) => isChannelEnded(channel))) return found;
    }
  }

  /** A few at a time; skips ended channels, and what is too much. */
  async prepareAll(
    channels: readonly NamedChannel[],
    stack: DisposableStack,
  ): Promise<ReadonlyMap<NamedChannel, PreparedSnapshot>> {
    const prepared = new Map<NamedChannel, PreparedSnapshot>();
    const done = await Promise.allSettled(
      channels.map((named) =>
        this.#semaphore.run(async () => {
          // The list is small, and tells what else there is.
          const isList = named.uri === ROOT_URI;
          if (this.isFull && !isList) return;
          const snapshot = await ignoreNotFound(
            named.channel.prepare(named.uri, { requester: requesterOf(this.#context) }),
          );
          if (!snapshot) return;
          stack.use(snapshot);
          if (isList || this.#fits(snapshot)) prepared.set(named, snapshot);
        }),
      ),
    );
    for (const result of done) if (result.status === "rejected") throw result.reason;
    return prepared;
  }

  #fits(snapshot: PreparedSnapshot): boolean {
    this.#remainingLength -= snapshot.length;
    if (this.isFull) snapshot[Symbol.dispose]();
    return !this.isFull;
  }

  async #openEach(wanted: readonly string[]): Promise<readonly NamedChannel[]> {
    const found: NamedChannel[] = [];
    for (let at = 0; at < wanted.length; at += NAMES_PER_TURN) {
      if (at > 0) await setImmediate();
      const some = wanted.slice(at, at + NAMES_PER_TURN);
      const opened = await Promise.all(some.map((uri) => ignoreNotFound(this.open(uri))));
      for (const [index, channel] of opened.entries()) {
        const uri = some[index];
        if (channel && uri !== undefined) found.push({ uri, channel });
      }
    }
    return found;
  }
}

async function ignoreNotFound<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isChannelNotFound(error)) return undefined;
    throw error;
  }
}
