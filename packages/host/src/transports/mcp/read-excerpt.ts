import {
  DEFAULT_EXCERPT_BYTES,
  type EntryOf,
  MAX_OUTPUT_BYTES,
  type OutputExcerpt,
  type OutputPage,
  type OutputPosition,
  type TerminalId,
} from "@nacre/contracts";
import { formatOmission, readExcerptText, readTextEnds } from "../../base/text/output-text.ts";
import { formatOutputCursor, UNTRUSTED } from "./tool-fields.ts";
import { HeadAndTail } from "./head-and-tail.ts";
import type { ToolCall } from "./tool.ts";

/** Of a longer output only head and tail are read. */
const MAX_BEGINNING_BYTES = 2 * 1024 * 1024;

/** Bounds the chase after a flooding program; read on for more. */
const MAX_READ_BYTES = 32 * 1024 * 1024;

/** Entries in which the end is searched. */
const LAST_ENTRIES = 256;

/** A prompt and what was typed after it lie within so many entries before an output. */
const ENTRIES_BEFORE = 32;
const MAX_BEFORE_BYTES = 8 * 1024;

const BEGINNING: OutputPosition = { after: 0 };

export interface ShownExcerpt {
  readonly from: OutputPosition;
  readonly to: OutputPosition;
  readonly text: string;
  /** Output right before it, where that decides how its first line reads. */
  readonly before: string;
  readonly bytes: number;
  readonly omittedBytes: number;
  readonly hasMore: boolean;
  readonly page: Pick<OutputPage, "ended" | "exitCode" | "signal" | "recordingBlocked" | "size">;
}

/** Which output to show. */
interface ExcerptRequest {
  readonly id: TerminalId;
  readonly from?: OutputPosition | undefined;
  readonly maxBytes?: number | undefined;
}

const decodePage = ({ data, encoding }: Pick<OutputPage, "data" | "encoding">): Buffer =>
  Buffer.from(data, encoding ?? "utf8");

/** As head and tail. */
export async function readExcerpt(
  call: ToolCall,
  { id, from = BEGINNING, maxBytes = DEFAULT_EXCERPT_BYTES }: ExcerptRequest,
): Promise<ShownExcerpt> {
  const shown = new HeadAndTail(maxBytes);
  let position = from;
  let isNearEnd = false;
  for (let read = 0; ;) {
    if (read >= MAX_BEGINNING_BYTES && !isNearEnd) {
      isNearEnd = true;
      position = await skipToEnd(call, { id, position, shown });
    }
    const page = await call.ask("readOutput", { id, position, maxBytes: MAX_OUTPUT_BYTES });
    const bytes = decodePage(page);
    shown.push(bytes);
    read += bytes.byteLength;
    const isAtEnd = page.ended || isSamePosition(page.position, position);
    ({ position } = page);
    if (isAtEnd || read >= MAX_READ_BYTES) {
      const ending = isAtEnd ? page : await readEnding(call, id);
      const read = shown.read();
      const before = await readBefore(call, { id, position: from, text: read.text });
      return { ...read, before, from, to: position, hasMore: !isAtEnd, page: ending };
    }
  }
}

/** Reads one page of what was written from a position on. */
export async function readPage(
  call: ToolCall,
  {
    id,
    from,
    maxBytes,
    waitMs,
  }: { id: TerminalId; from: OutputPosition; maxBytes: number; waitMs: number },
): Promise<ShownExcerpt> {
  const page = await call.ask("readOutput", { id, position: from, maxBytes, waitMs });
  const bytes = decodePage(page);
  const text = bytes.toString();
  const before = await readBefore(call, { id, position: from, text });
  const read = { from, text, before, bytes: bytes.byteLength, omittedBytes: 0 };
  for (let { position, ended } = page; !ended;) {
    const next = await call.ask("readOutput", { id, position, maxBytes: 1 });
    if (next.data !== "") {
      return { ...read, to: position, hasMore: true, page: await readEnding(call, id) };
    }
    // What follows may be only markers, which are not shown.
    if (!next.ended && isSamePosition(next.position, position)) break;
    if (next.ended) return { ...read, to: next.position, hasMore: false, page: next };
    ({ position, ended } = next);
  }
  return { ...read, to: page.position, hasMore: false, page };
}

/** Backspace, CR, and CSI sequences that move, erase, insert or delete within a line. */
// oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
const MOVES_IN_LINE = /[\b\r]|(?:\u001b\[|\u009b)[0-9;]*[@CDGJKPX]/u;

/** The first line reads differently depending on its starting column. */
const dependsOnColumn = (output: string): boolean =>
  MOVES_IN_LINE.test(output.slice(0, output.search(/\n|$/)).replace(/\r$/, ""));

/** The output right before a text, where that decides how its first line reads: after a prompt, for one. */
export async function readBefore(
  call: ToolCall,
  { id: terminalId, position, text }: { id: TerminalId; position: OutputPosition; text: string },
): Promise<string> {
  // Within an entry, the line before was shown with the previous page.
  if (position.after === 0 || position.offset !== undefined || !dependsOnColumn(text)) return "";
  const asked = { terminalId, types: ["output" as const], limit: ENTRIES_BEFORE };
  const after = Math.max(0, position.after - ENTRIES_BEFORE);
  const { entries } = await call.ask("findRecordingEntries", { ...asked, after });
  const parts = entries.flatMap((entry) =>
    entry.type === "output" && entry.data !== undefined && entry.sequence <= position.after
      ? [decodePage({ ...entry, data: entry.data })]
      : [],
  );
  return Buffer.concat(parts).subarray(-MAX_BEFORE_BYTES).toString();
}

/** A page reports the end only when nothing is left to read. */
async function readEnding(call: ToolCall, id: TerminalId): Promise<ShownExcerpt["page"]> {
  const position = await readEndPosition(call, id);
  return await call.ask("readOutput", { id, position, maxBytes: 1 });
}

/** Goes on near the end, where that is not here already; what lies between is only counted. */
async function skipToEnd(
  call: ToolCall,
  {
    id: terminalId,
    position,
    shown,
  }: { id: TerminalId; position: OutputPosition; shown: HeadAndTail },
): Promise<OutputPosition> {
  const { after: last } = await readEndPosition(call, terminalId);
  const next = async (after: number): Promise<EntryOf<"output"> | undefined> => {
    const asked = { terminalId, types: ["output" as const], after, limit: 1 };
    const [entry] = (await call.ask("findRecordingEntries", asked)).entries;
    return entry?.type === "output" ? entry : undefined;
  };
  if (last - LAST_ENTRIES <= position.after) return position;
  const [here, there] = [await next(position.after), await next(last - LAST_ENTRIES)];
  if (!here || !there || there.sequence <= here.sequence) return position;
  shown.skip(there.offset - Math.max(here.offset, position.offset ?? 0));
  return { after: there.sequence - 1 };
}

const isSamePosition = (one: OutputPosition, other: OutputPosition): boolean =>
  one.after === other.after && one.offset === other.offset;

export function formatOutput(shown: ShownExcerpt) {
  const { from, to, text, before, bytes, omittedBytes, hasMore, page } = shown;
  const rest = omittedBytes > 0 ? describeRest(from) : hasMore ? describeRest(to) : undefined;
  return {
    output: readTextEnds(text, formatOmission(bytes, omittedBytes), {
      before,
      size: page.size,
      isFromStart: from.after === 0 && from.offset === undefined,
    }),
    ...(rest === undefined ? {} : omissionFacts(bytes, omittedBytes, rest)),
    cursor: formatOutputCursor(to),
    ...UNTRUSTED,
  };
}

/** An excerpt of the host, as results tell it. */
export function formatExcerpt(
  excerpt: OutputExcerpt,
  /** `to` is where the reader goes on, where more may come. */
  { to, before }: { readonly to?: OutputPosition; readonly before?: string } = {},
) {
  const { truncated, totalBytes, omittedBytes, position } = excerpt;
  const rest = describeRest(position);
  return {
    output: readExcerptText(excerpt, before),
    ...(truncated ? omissionFacts(totalBytes, omittedBytes, rest) : {}),
    cursor: to && formatOutputCursor(to),
    ...UNTRUSTED,
  };
}

const omissionFacts = (bytes: number, omittedBytes: number, rest: string) => ({
  truncated: true as const,
  bytes,
  omitted_bytes: omittedBytes,
  rest,
});

/** How a program stands and what was written since a position, as results tell it. */
export async function describeState(
  call: ToolCall,
  { id, shown, since }: { id: TerminalId; shown: ShownExcerpt; since: number },
) {
  const { ended, exitCode, signal, recordingBlocked } = shown.page;
  return {
    terminal_id: id,
    still_running: !ended,
    exit_code: exitCode ?? null,
    signal,
    recording_blocked: formatBlocked(recordingBlocked),
    input_needed: ended ? undefined : await readInputNeeded(call, id),
    ...formatOutput(shown),
    duration_ms: Math.round(performance.now() - since),
  };
}

/** Why nothing new is seen, as results tell it. */
export const formatBlocked = (blocked: OutputPage["recordingBlocked"]): string | undefined =>
  blocked && `${blocked.message}. ${blocked.suggestion}`;

const describeRest = (from: OutputPosition): string =>
  `terminal_read with cursor ${formatOutputCursor(from)} reads on from there; terminal_search finds text in it.`;

export async function readEndPosition(call: ToolCall, id: TerminalId): Promise<OutputPosition> {
  const { sequence } = await call.ask("waitFor", { id, until: [{ kind: "exit" }], timeoutMs: 0 });
  return { after: sequence };
}

/** What the program waits for, where it waits for somebody to type. */
async function readInputNeeded(call: ToolCall, id: TerminalId) {
  const until = [{ kind: "inputNeeded" as const }];
  const { inputNeeded } = await call.ask("waitFor", { id, until, timeoutMs: 0 });
  return inputNeeded?.kind;
}
