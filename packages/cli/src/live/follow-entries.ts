import type { QuickCall } from "@nacre/client/quick";
import type { EntryOf, EntryType, TerminalId, TerminalRecordingEntry } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";

/** Output as it is recorded. */
export type OutputEntry = EntryOf<"output">;

/** The bytes of an entry; none where they were purged. */
export const decodeEntry = ({ data = "", encoding }: OutputEntry): Uint8Array =>
  Buffer.from(data, encoding === "base64" ? "base64" : "utf8");

/** One answer of the host that waits; then it is asked again. */
const WAIT_MS = 60_000;

/** A page of entries; a page of large ones ends earlier by itself. */
const PAGE_ENTRIES = 1000;

export interface FollowEntriesOptions {
  readonly id: TerminalId;
  readonly types: readonly EntryType[];
  /** Only what comes after this sequence. */
  readonly after?: number;
  /** Whether to wait for what is not there yet, to the end of the program. */
  readonly isFollowing: boolean;
  /** Ends the waiting; what is there by then is still read. */
  readonly signal?: AbortSignal;
}

/** Every entry once and in order, only as fast as they are taken; nothing is left out however far behind the reader is. */
export async function* followEntries(
  call: QuickCall,
  { id, types, after = 0, isFollowing, signal }: FollowEntriesOptions,
): AsyncGenerator<TerminalRecordingEntry, void> {
  const wanted: EntryType[] = [...new Set<EntryType>([...types, "exit"])];
  for (let last = after, isLast = !isFollowing; ;) {
    const isOver = isLast || signal?.aborted === true;
    const { entries, truncated } = await call("findRecordingEntries", {
      terminalId: id,
      types: wanted,
      after: last,
      limit: PAGE_ENTRIES,
    });
    for (const entry of entries) {
      last = entry.sequence;
      if (types.includes(entry.type)) yield entry;
      // Programs that the first one left behind may write on; whoever waits for the end has seen it.
      if (entry.type === "exit" && isFollowing) isLast = true;
    }
    if (truncated) continue;
    if (isOver || (isLast && entries.length === 0)) return;
    if (!isLast) isLast = await untilMore(call, { id, after: last, signal });
  }
}

interface Waiting {
  readonly id: TerminalId;
  readonly after: number;
  readonly signal: AbortSignal | undefined;
}

/** Waits until there is output after a sequence; tells whether the program has ended. */
async function untilMore(call: QuickCall, { id, after, signal }: Waiting): Promise<boolean> {
  const input = { id, position: { after }, waitMs: WAIT_MS };
  try {
    return (await call("readOutput", input, signal ? { signal } : {})).ended;
  } catch (error) {
    if (signal?.aborted === true) return true;
    // An ended program is taken off the list while it is waited for; its recording has everything.
    if (error instanceof NacreError && error.code === "terminal_not_found") return true;
    throw error;
  }
}
