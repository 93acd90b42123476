import { DEFAULT_SIZE, type Size } from "@nacre/contracts";
import type { RecordedEntry } from "../recorded-entry.ts";
import { renderHtmlDocument } from "../render/html.ts";
import type { RenderedLine } from "../render/rendered-line.ts";
import { TextRenderer } from "../render/text-renderer.ts";
import { encodePieces } from "./text-pieces.ts";

/** How a recording is rendered. */
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

/** What stands above the output. */
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
