import { INTERNAL_ERROR_MESSAGE } from "../../../base/to-nacre-error.ts";
import type { RawAction } from "../channels/envelope.ts";
import type { TerminalChannel } from "../channels/terminal-channel.ts";
import { parseClientAction } from "../protocol/action.ts";
import { JsonRpcError, RPC_CODES, toJsonRpcError } from "../protocol/json-rpc.ts";
import { DispatchActionParams, parseParams } from "../protocol/params.ts";
import { ROOT_URI } from "../protocol/uri.ts";
import type { KeyedSerialQueue } from "../../../base/serial-queue.ts";
import { TurnBudget } from "./semaphore.ts";
import { normalizeChannelUri } from "./channel-opener.ts";
import type { ConnectedClient } from "./connected-client.ts";
import {
  ActionExecution,
  AttachmentCache,
  type DispatchedAction,
  rejectDispatch,
  rejectOnRoot,
} from "./action-execution.ts";

const RESIZED = "terminal/resized";

/** Actions that waited for the same event run at once; after so many others get a turn. */
const ACTIONS_PER_TURN = 64;

/** In order per channel, independent of others; what is not done is rejected. */
export class Dispatcher {
  readonly #client: ConnectedClient;
  readonly #queue: KeyedSerialQueue;
  readonly #attachments: AttachmentCache;
  readonly #budget = new TurnBudget(ACTIONS_PER_TURN);
  readonly #inProgress = new Set<Promise<void>>();
  /** The newest requested size per channel. */
  readonly #sizes = new Map<string, DispatchedAction>();
  #waitingBytes = 0;

  /** Other work that must precede actions on a channel is in the same queue. */
  constructor(client: ConnectedClient, queue: KeyedSerialQueue) {
    this.#client = client;
    this.#queue = queue;
    this.#attachments = new AttachmentCache(client.parts.operations);
  }

  /** An action without a channel cannot be answered. */
  dispatch(params: unknown, bytes: number): void {
    const dispatch = this.#read(params);
    if (!dispatch) return;
    const { limits } = this.#client.parts;
    const isFull =
      this.#inProgress.size >= limits.dispatches ||
      this.#waitingBytes + bytes > limits.dispatchBytes;
    if (isFull) {
      rejectDispatch(this.#client, dispatch, "too many actions wait to be done");
      return;
    }
    this.#waitingBytes += bytes;
    const { uri, action } = dispatch;
    if (isValidResize(action)) this.#sizes.set(uri, dispatch);
    // A client that asked to follow the channel before learns of it.
    const following = this.#client.parts.subscriptions.settled(uri);
    const work = this.#queue
      .run(uri, () => this.#perform(dispatch, following))
      .finally(() => {
        if (this.#sizes.get(uri) === dispatch) this.#sizes.delete(uri);
        this.#inProgress.delete(work);
        this.#waitingBytes -= bytes;
      });
    this.#inProgress.add(work);
  }

  async idle(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
  }

  /** Finishes what was dispatched before the end, then detaches. */
  async close(): Promise<void> {
    await this.idle();
    this.#attachments[Symbol.dispose]();
  }

  #read(params: unknown): DispatchedAction | undefined {
    try {
      const { channel, clientSeq, action } = parseParams(DispatchActionParams, params);
      const { clientId } = this.#client;
      return { uri: normalizeChannelUri(channel), action, origin: { clientId, clientSeq } };
    } catch {
      // A notification has no answer.
      return undefined;
    }
  }

  /** What is not done is rejected. */
  async #perform(
    dispatch: DispatchedAction,
    following: Promise<unknown> | undefined,
  ): Promise<void> {
    const client = this.#client;
    let channel: TerminalChannel | undefined;
    try {
      await following;
      await this.#budget.take();
      if (dispatch.uri === ROOT_URI) rejectOnRoot(dispatch);
      const { agentHost, context } = client.parts;
      channel = await agentHost.openTerminal(dispatch.uri, context);
      const parts = { client, channel, attachments: this.#attachments, dispatch };
      const performance = new ActionExecution(parts);
      this.#refuseOutdated(dispatch);
      await performance.run();
    } catch (error) {
      this.#reject(dispatch, error, channel);
    }
  }

  /** Dragging a window sends many sizes; later input need not wait for each. */
  #refuseOutdated(dispatch: DispatchedAction): void {
    if (dispatch.action.type !== RESIZED || this.#sizes.get(dispatch.uri) === dispatch) return;
    throw new JsonRpcError(RPC_CODES.conflict, "another size was asked for since");
  }

  #reject(dispatch: DispatchedAction, error: unknown, channel: TerminalChannel | undefined): void {
    const { handleProblem, names } = this.#client.parts;
    const known = toJsonRpcError(error);
    if (!known) handleProblem(error);
    try {
      const reason = names.inText(known?.message ?? INTERNAL_ERROR_MESSAGE);
      rejectDispatch(this.#client, dispatch, reason, channel);
    } catch (another) {
      handleProblem(another);
    }
  }
}

/** An invalid size is no reason to refuse those before it. */
function isValidResize(action: RawAction): boolean {
  if (action.type !== RESIZED) return false;
  try {
    parseClientAction(action);
    return true;
  } catch {
    return false;
  }
}
