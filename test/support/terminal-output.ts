import { decodeBytes, type OutputPosition } from "@nacre/contracts";
import { type FeedMessage, type FeedOptions, LOCAL_CALLER, type Terminal } from "@nacre/host";

/** Long enough for a busy machine; nothing waits for it that goes well. */
export const DEADLINE_MS = 10_000;

/** Types as the program that embeds the host. */
export const type = (terminal: Terminal, data: string | Uint8Array): Promise<void> =>
  terminal.write(data, { by: LOCAL_CALLER });

/** Resolves with the place where a text was written after a sequence; fails when it is not. */
export async function untilText(terminal: Terminal, text: string, after = 0): Promise<number> {
  const until = [{ kind: "text", text } as const];
  const { outcome, sequence } = await terminal.wait({ until, after, timeoutMs: DEADLINE_MS });
  if (outcome === "text") return sequence;
  const end = JSON.stringify((await outputOf(terminal)).slice(-500));
  throw new Error(`${JSON.stringify(text)} did not come (${outcome}); the end was ${end}`);
}

/** Everything that a terminal wrote so far, as readers by position get it. */
export async function outputOf(terminal: Terminal): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let position: OutputPosition = { after: 0 }; ;) {
    const page = await terminal.reader.readOutput({ position, maxBytes: 1024 * 1024 });
    pieces.push(decodeBytes(page));
    const isMore = page.data !== "";
    position = page.position;
    if (!isMore) return Buffer.concat(pieces).toString();
  }
}

/** All messages of a feed to its end. */
export async function followed(
  terminal: Terminal,
  options: FeedOptions = { after: 0, whenBehind: "replay" },
): Promise<FeedMessage[]> {
  const messages: FeedMessage[] = [];
  for await (const message of terminal.subscribe(options)) messages.push(message);
  return messages;
}

/** What the views of a feed's entries say together. */
export const viewOf = (messages: readonly FeedMessage[]): string =>
  Buffer.concat(
    messages.flatMap((message) => (message.kind === "entry" ? (message.view ?? []) : [])),
  ).toString();
