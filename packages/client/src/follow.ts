import { ErrorBody } from "@nacre/contracts";
import { decodeError } from "./failure.ts";
import { eventStream } from "./event-stream.ts";
import { following, type Following } from "./following.ts";
import type { HttpWire } from "./http-wire.ts";
import { type Clock, ConnectionLost, backoffMs, isTemporary, waitFor } from "./reconnect.ts";
import type { SseEvent } from "./sse.ts";

/** Whether a feed can bring something now. */
export type ConnectionState = "connected" | "lost";

/** What every feed can be told. */
export interface FollowOptions {
  /** Ends the feed. */
  readonly signal?: AbortSignal | undefined;
  /** Is told when the connection is there, when it is lost, and when it is there again. */
  handleConnection?(state: ConnectionState): void;
}

/** What a feed over HTTP is: where it continues, and what it makes of events. */
export interface Feed<Message> {
  /** Where to connect so that nothing is missed and nothing told twice. */
  request(): { readonly path: string; readonly headers?: Readonly<Record<string, string>> };
  /** What one event of the stream says, which may be nothing for the listener. */
  read(event: SseEvent): readonly Message[];
  /** The stream is there; what it has to tell the listener about what was before. */
  connected(isAgain: boolean, lastEventId: string): readonly Message[];
}

/** Over what a feed comes. */
export interface FollowWire {
  readonly wire: HttpWire;
  readonly clock: Clock;
}

/** Follows a feed to its end, over as many connections as that takes; throws when the first one cannot be made, or coming back cannot help. */
export function follow<Message>(
  over: FollowWire,
  feed: Feed<Message>,
  options: FollowOptions = {},
): Following<Message> {
  return following((signal) => connections(over, feed, { ...options, signal }), options.signal);
}

async function* connections<Message>(
  { wire, clock }: FollowWire,
  feed: Feed<Message>,
  options: FollowOptions & { readonly signal: AbortSignal },
): AsyncGenerator<Message, void> {
  const { signal } = options;
  let isAgain = false;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      for await (const event of eventStream(wire, feed.request(), { clock, signal })) {
        if (event.name === "end") return;
        if (event.name === "error") throw failureIn(event);
        if (event.name === "connected") {
          options.handleConnection?.("connected");
          yield* feed.connected(isAgain, event.lastEventId);
          isAgain = true;
        } else {
          // A host that only lets us in and fails then must not be asked again and again without a pause.
          attempt = 0;
          yield* feed.read(event);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isAgain || !isTemporary(error)) throw error;
    }
    options.handleConnection?.("lost");
    await waitFor(clock, backoffMs(attempt, clock.random()), signal);
  }
}

function failureIn({ data }: SseEvent): Error {
  const told = ErrorBody.safeParse(JSON.parse(data));
  return told.success
    ? decodeError(told.data, "unavailable")
    : new ConnectionLost("the host ended the feed");
}
