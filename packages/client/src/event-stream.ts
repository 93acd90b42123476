import { NacreError } from "@nacre/contracts";
import { type HttpWire, requireSuccess, type WireRequest } from "./http-wire.ts";
import { type Clock, ConnectionLost } from "./reconnect.ts";
import { type SseEvent, SseParser } from "./sse.ts";

/** The host says something each 15 seconds; after three times that silence the connection is dead. */
export const MAX_SILENCE_MS = 45_000;

/** One connection that carries events; it ends as the host ends it, and throws `ConnectionLost` when it breaks. */
export async function* eventStream(
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
      // A listener that takes its time is no silence of the host.
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
