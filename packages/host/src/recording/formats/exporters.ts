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

/** Writes one entry per line, each as the contracts describe it; nothing is left out. */
export const exportJsonLines = (
  entries: Iterable<RecordedEntry>,
): Generator<Uint8Array<ArrayBuffer>> => encodePieces(writeJsonLines(entries));

/** Smaller parts are copied together up to this size; larger ones are cheaper to hand on as they are. */
const PIECE_BYTES = 16 * 1024;

/** Hands out the bytes of the output and nothing else; a large entry's own bytes, not a copy. */
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
  /** The size to begin with, when the entry that had it was removed. */
  readonly size: Size | undefined;
  readonly styled: boolean;
}

/** The lines a person saw, as they become final. */
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

/** Lines as text; a very long line that was cut is whole again. */
function* joinLines(lines: Iterable<RenderedLine>): Generator<string> {
  let isFirst = true;
  for (const { text, carry } of lines) {
    if (carry === 0 && !isFirst) yield "\n";
    yield carry === 0 ? text : text.slice(carry);
    isFirst = false;
  }
  if (!isFirst) yield "\n";
}

/** The output as plain text: the lines a person saw, without blank ones. */
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

/** The output as an HTML document of its own, in its colours. */
export const exportHtml = (
  entries: Iterable<RecordedEntry>,
  { size, ...page }: PageOptions,
): Generator<Uint8Array<ArrayBuffer>> =>
  encodePieces(renderHtmlDocument(renderLines(entries, { size, styled: true }), page));

/** The entries with their output as viewers get it: without the markers of shell integration. */
export function* stripEntryMarkers(entries: Iterable<RecordedEntry>): Generator<RecordedEntry> {
  for (const entry of entries) {
    if (entry.type !== "output" || entry.data === undefined) yield entry;
    else yield { ...entry, data: stripMarkers(entry.data) };
  }
}
