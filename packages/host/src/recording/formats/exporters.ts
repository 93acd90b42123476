import { DEFAULT_SIZE, type Size } from "@nacre/contracts";
import { stripMarkers } from "../../shell/strip-markers.ts";
import { type RecordedEntry, toPublicEntry } from "../recorded-entry.ts";
import { renderHtmlDocument } from "./html-document.ts";
import type { RenderedLine } from "../../base/text/rendered-line.ts";
import { TextRenderer } from "../../base/text/text-renderer.ts";
import { encodePieces, toJsonText } from "./format-text.ts";

function* writeJsonLines(entries: Iterable<RecordedEntry>): Generator<string> {
  for (const entry of entries) yield `${toJsonText(toPublicEntry(entry))}\n`;
}

/** One entry per line as the contracts describe it; lossless. */
export const exportJsonLines = (
  entries: Iterable<RecordedEntry>,
): Generator<Uint8Array<ArrayBuffer>> => encodePieces(writeJsonLines(entries));

/** Smaller parts are merged up to this size; larger ones are cheaper to pass on. */
const PIECE_BYTES = 16 * 1024;

/** Only the bytes of the output; large entries are not copied. */
export function* exportRaw(entries: Iterable<RecordedEntry>): Generator<Uint8Array<ArrayBuffer>> {
  let gathered = new Uint8Array(PIECE_BYTES);
  let gatheredBytes = 0;
  for (const entry of entries) {
    if (entry.type !== "output" || entry.data === undefined) continue;
    const { data } = entry;
    if (gatheredBytes + data.length > PIECE_BYTES && gatheredBytes > 0) {
      yield gathered.subarray(0, gatheredBytes);
      gathered = new Uint8Array(PIECE_BYTES);
      gatheredBytes = 0;
    }
    if (data.length >= PIECE_BYTES) {
      yield data;
    } else {
      gathered.set(data, gatheredBytes);
      gatheredBytes += data.length;
    }
  }
  if (gatheredBytes > 0) yield gathered.subarray(0, gatheredBytes);
}

interface RenderOptions {
  /** Initial size, when the entry that had it was removed. */
  readonly size: Size | undefined;
  readonly styled: boolean;
}

/** Lines as they become final. */
function* renderLines(
  entries: Iterable<RecordedEntry>,
  { size = DEFAULT_SIZE, styled }: RenderOptions,
): Generator<RenderedLine> {
  const renderer = new TextRenderer({ size, styled });
  for (const entry of entries) {
    if (entry.type === "header" || entry.type === "resize") {
      renderer.resize({ cols: entry.cols, rows: entry.rows });
    }
    if (entry.type === "output" && entry.data) renderer.write(entry.data, entry.sequence);
    yield* renderer.takeFinal();
  }
  renderer.end();
  yield* renderer.takeFinal();
}

/** Rejoins very long lines that were cut. */
function* joinLines(lines: Iterable<RenderedLine>): Generator<string> {
  let isFirst = true;
  for (const { text, carry } of lines) {
    if (carry === 0 && !isFirst) yield "\n";
    yield carry === 0 ? text : text.slice(carry);
    isFirst = false;
  }
  if (!isFirst) yield "\n";
}

/** Plain text without trailing blank lines. */
export const exportText = (
  entries: Iterable<RecordedEntry>,
  size: Size | undefined,
): Generator<Uint8Array<ArrayBuffer>> =>
  encodePieces(joinLines(renderLines(entries, { size, styled: false })));

interface PageOptions {
  readonly size: Size | undefined;
  readonly title: string;
  readonly details: readonly string[];
}

/** A self-contained HTML document with colours. */
export const exportHtml = (
  entries: Iterable<RecordedEntry>,
  { size, ...page }: PageOptions,
): Generator<Uint8Array<ArrayBuffer>> =>
  encodePieces(renderHtmlDocument(renderLines(entries, { size, styled: true }), page));

/** Output as viewers get it, without shell-integration markers. */
export function* stripEntryMarkers(entries: Iterable<RecordedEntry>): Generator<RecordedEntry> {
  for (const entry of entries) {
    if (entry.type !== "output" || entry.data === undefined) yield entry;
    else yield { ...entry, data: stripMarkers(entry.data) };
  }
}
