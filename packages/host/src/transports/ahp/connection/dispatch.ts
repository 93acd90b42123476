import type { TerminalChannel } from "../channels/terminal-channel.ts";
import type { Origin, RawAction } from "../channels/envelope.ts";
import type { ConnectedClient } from "./connected-client.ts";

/** What a client wants to happen on a channel. */
export interface DispatchedAction {
  /** The channel, as the client names it. */
  readonly uri: string;
  /** As the client spelled it. */
  readonly action: RawAction;
  readonly origin: Origin;
}

/** Tells a client that something does not happen, and what is true instead where that is known. */
export function rejectDispatch(
  { parts: { agentHost } }: ConnectedClient,
  { uri, action, origin }: DispatchedAction,
  reason: string,
  channel?: TerminalChannel,
): void {
  if (channel) channel.reject(action, origin, reason, uri);
  else agentHost.reject(uri, action, origin, reason);
}
