import { decodeError, ErrorBody, NacreError } from "@nacre/contracts";
import { type HttpWire, requireSuccess, type WireRequest } from "./http-wire.ts";
import { type SseEvent, SseParser } from "./sse.ts";

/** Injectable time and randomness. */
export interface Clock {
  /** Returns a cancel function. */
  after(delayMs: number, callback: () => void): () => void;
  /** In [0, 1). */
  random(): number;
}

export const machineClock: Clock = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** A restarting host is back in less than a second. */
const FIRST_DELAY_MS = 250;

/** A person at a page does not want to wait longer once the host is back. */
const MAX_DELAY_MS = 10_000;

/** Exponential backoff with jitter. */
export function backoffMs(attempt: number, chance: number): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 16));
  return Math.round(longest * (0.5 + chance / 2));
}

/** At once when aborted. */
export function waitFor(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = (): void => {
      cancel();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    signal.addEventListener("abort", finish);
  });
}

/** Retrying may help: the host is away or busy, or the connection broke. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof NacreError)) return error instanceof ConnectionLost;
  return ["unavailable", "limit_reached", "timeout", "internal"].includes(error.code);
}

/** A connection ended before its stream did. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** Three missed heartbeats of 15 seconds. */
export const MAX_SILENCE_MS = 45_000;

/** Throws `ConnectionLost` when it breaks. */
async function* eventStream(
  wire: HttpWire,
  request: Pick<WireRequest, "path" | "headers">,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<SseEvent, void> {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  let cancel = clock.after(MAX_SILENCE_MS, () => silence.abort());
  try {
    const body = await open(wire, request, either);
    const parser = new SseParser();
    for await (const bytes of body) {
      cancel();
      // Time spent by the listener does not count as silence.
      yield* parser.push(bytes);
      cancel = clock.after(MAX_SILENCE_MS, () => silence.abort());
    }
  } catch (cause) {
    if (cause instanceof NacreError) throw cause;
    throw new ConnectionLost("the connection to the host broke", { cause });
  } finally {
    cancel();
  }
}

async function open(
  wire: HttpWire,
  { path, headers }: Pick<WireRequest, "path" | "headers">,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const accept = { accept: "text/event-stream" };
  const request = { method: "GET", path, headers: { ...headers, ...accept }, signal };
  const { headers: said, body } = await requireSuccess(await wire(request));
  const isStream = said.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (body !== null && isStream) return body;
  await body?.cancel();
  throw new NacreError("unexpected_answer", `${path} does not answer with an event stream`);
}

export type ConnectionState = "connected" | "lost";

export interface FollowOptions {
  /** Ends the feed. */
  readonly signal?: AbortSignal | undefined;
  handleConnection?(state: ConnectionState): void;
}

/** A resumable feed over HTTP. */
export interface Feed<Message> {
  /** Resumes without loss or repetition. */
  request(): { readonly path: string; readonly headers?: Readonly<Record<string, string>> };
  /** May be empty. */
  read(event: SseEvent): readonly Message[];
  /** Messages about what was before. */
  connected(isAgain: boolean, lastEventId: string): readonly Message[];
}

export interface FollowWire {
  readonly wire: HttpWire;
  readonly clock: Clock;
}

/** Across as many connections as it takes; throws when the first one fails, or retrying cannot help. */
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
          // A host that accepts and then fails must not be asked again without a pause.
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
    ? decodeError(told.data.error, "unavailable")
    : new ConnectionLost("the host ended the feed");
}

/** For one loop; leaving it or disposing ends the feed on both sides, even while it waits. */
export interface Following<Message>
  extends AsyncIterableIterator<Message, undefined>, AsyncDisposable {}

/** The signal is aborted when nobody listens any more. */
export function following<Message>(
  make: (signal: AbortSignal) => AsyncGenerator<Message, void>,
  signal?: AbortSignal,
): Following<Message> {
  const ending = new AbortController();
  const generator = make(signal ? AbortSignal.any([signal, ending.signal]) : ending.signal);
  const end = async (): Promise<IteratorResult<Message, undefined>> => {
    ending.abort();
    await generator.return();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      const result = await generator.next();
      return result.done ? { done: true, value: undefined } : result;
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await end();
    },
  };
}
