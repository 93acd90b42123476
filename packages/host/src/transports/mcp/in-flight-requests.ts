import { randomUUID } from "node:crypto";
import type { CallerId } from "@nacre/contracts";
import { z } from "zod";

const SESSION_HEADER = "mcp-session-id";

/** Most of these cancel what was just answered. */
const MAX_EARLY_CANCELLATIONS = 1024;

const Id = z.union([z.string(), z.number()]);

const StartedRequest = z.object({ id: Id, method: z.string() });

const CancelledNotification = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: Id }),
});

/** Older clients cancel by a separate message: finds the request that it means. */
export class InFlightRequests {
  readonly #inFlight = new Map<string, AbortController>();
  /** Messages arrive on separate connections: a cancellation may overtake its request. */
  readonly #earlyCancellations = new Set<string>();

  get count(): number {
    return this.#inFlight.size;
  }

  /** The returned signal ends a request; a cancellation aborts the request it names. */
  register(request: Request, body: unknown, caller: CallerId): AbortSignal {
    const conversation = request.headers.get(SESSION_HEADER);
    if (conversation === null) return request.signal;
    const keyOf = (id: string | number): string => JSON.stringify([caller, conversation, id]);
    const cancelled = CancelledNotification.safeParse(body);
    if (cancelled.success) this.#cancel(keyOf(cancelled.data.params.requestId));
    const begun = StartedRequest.safeParse(body);
    return begun.success ? this.#begin(keyOf(begun.data.id), request.signal) : request.signal;
  }

  /** Names the conversation in the answer to `initialize`; the name is used for nothing else. */
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
    // Aborted when the client is gone or has its answer.
    gone.addEventListener("abort", forget, { once: true });
    if (gone.aborted) forget();
    return AbortSignal.any([gone, cancelling.signal]);
  }
}
