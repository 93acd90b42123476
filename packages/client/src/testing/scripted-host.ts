// A host that only exists as answers: it speaks the event-stream wire and breaks when it is told to.
import type { HttpWire, WireRequest } from "../http-wire.ts";

/** One event as the wire writes it. */
export interface ScriptedEvent {
  readonly name: string;
  readonly id?: string | undefined;
  readonly data: unknown;
}

/** How one connection goes. */
export interface ScriptedConnection {
  /** Bytes after which it breaks; it stays open after its events when absent. */
  readonly breaksAfterBytes?: number;
  /** Whether it ends in order instead of breaking. */
  readonly ends?: boolean;
}

/** What a host answers to one request: events from somewhere on, or another answer. */
export type Answer = (request: WireRequest) => readonly ScriptedEvent[] | Response;

/** The host: each connection goes as the plan says, and after the plan all stay open. */
export class ScriptedHost {
  readonly requests: WireRequest[] = [];
  readonly #answer: Answer;
  readonly #plan: ScriptedConnection[];

  constructor(answer: Answer, plan: readonly ScriptedConnection[] = []) {
    this.#answer = answer;
    this.#plan = [...plan];
  }

  readonly wire: HttpWire = (request) => {
    this.requests.push(request);
    const answer = this.#answer(request);
    if (answer instanceof Response) return Promise.resolve(answer);
    const connection = this.#plan.shift() ?? {};
    const headers = { "content-type": "text/event-stream; charset=utf-8" };
    return Promise.resolve(new Response(bodyOf(answer, connection, request.signal), { headers }));
  };
}

function bodyOf(
  events: readonly ScriptedEvent[],
  { breaksAfterBytes, ends }: ScriptedConnection,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(events.map(encodeEvent).join(""));
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, breaksAfterBytes ?? bytes.length));
      signal?.addEventListener("abort", () => controller.error(signal.reason), { once: true });
    },
    pull(controller) {
      // Asked for more than there was: what was sent has been read by now.
      if (ends) controller.close();
      else if (breaksAfterBytes !== undefined) controller.error(new TypeError("terminated"));
    },
  });
}

/** An event as the wire writes it. */
export const encodeEvent = ({ name, id, data }: ScriptedEvent): string =>
  `event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
