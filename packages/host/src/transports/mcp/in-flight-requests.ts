import { randomUUID } from "node:crypto";
import type { CallerId } from "@nacre/contracts";
import { z } from "zod";

/** The header by which a client says which conversation a message belongs to. */
const SESSION_HEADER = "mcp-session-id";

/** Most of these cancel what was answered just before, and are of no use. */
const MAX_EARLY_CANCELLATIONS = 1024;

const Id = z.union([z.string(), z.number()]);

const StartedRequest = z.object({ id: Id, method: z.string() });

const CancelledNotification = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: Id }),
});

/** Clients of earlier versions cancel by a message of its own: this finds the request that it means. */
export class InFlightRequests {
  readonly #inFlight = new Map<string, AbortController>();
  /** Messages come by connections of their own: a cancellation may be faster than its request. */
  readonly #earlyCancellations = new Set<string>();

  /** How many there are. */
  get count(): number {
    return this.#inFlight.size;
  }

  /** Takes a message: a request ends with the signal that is returned, and a cancellation ends the request it names. */
  register(request: Request, body: unknown, caller: CallerId): AbortSignal {
    const conversation = request.headers.get(SESSION_HEADER);
    if (conversation === null) return request.signal;
    const keyOf = (id: string | number): string => JSON.stringify([caller, conversation, id]);
    const cancelled = CancelledNotification.safeParse(body);
    if (cancelled.success) this.#cancel(keyOf(cancelled.data.params.requestId));
    const begun = StartedRequest.safeParse(body);
    return begun.success ? this.#begin(keyOf(begun.data.id), request.signal) : request.signal;
  }

  /** Gives the answer to the message that opens a conversation a name for it; nothing else is known by that name. */
  assignSession(body: unknown, answer: Response): Response {
    const begun = StartedRequest.safeParse(body);
    if (!begun.success || begun.data.method !== "initialize" || !answer.ok) return answer;
    const headers = new Headers(answer.headers);
    headers.set(SESSION_HEADER, randomUUID());
    return new Response(answer.body, { status: answer.status, headers });
  }

  #cancel(key: string): void {
    const begun = this.#inFlight.get(key);
    if (begun) return begun.abort();
    this.#earlyCancellations.add(key);
    const [oldest] = this.#earlyCancellations;
    if (oldest !== undefined && this.#earlyCancellations.size > MAX_EARLY_CANCELLATIONS)
      this.#earlyCancellations.delete(oldest);
  }

  #begin(key: string, gone: AbortSignal): AbortSignal {
    const cancelling = new AbortController();
    if (this.#earlyCancellations.delete(key)) cancelling.abort();
    this.#inFlight.set(key, cancelling);
    const forget = (): void => {
      if (this.#inFlight.get(key) === cancelling) this.#inFlight.delete(key);
    };
    // The signal of a request fires when its client is gone or has its answer.
    gone.addEventListener("abort", forget, { once: true });
    if (gone.aborted) forget();
    return AbortSignal.any([gone, cancelling.signal]);
  }
}
