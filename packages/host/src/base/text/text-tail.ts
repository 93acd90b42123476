import { DEFAULT_SIZE, type Size } from "@nacre/contracts";
import { withoutInvisible } from "./cells.ts";
import { joinLines, type RenderedLine } from "./rendered-line.ts";
import { TextRenderer } from "./text-renderer.ts";

/** An SGR parameter that hides nothing: neither conceal (8) nor a background (40 to 48, 100 to 107). */
const HARMLESS = String.raw`(?:38;5;\d+|38;2;\d+;\d+;\d+|[0-79]|[1-35-9]\d|49)?`;

/** SGR that hides nothing, and EL 0, which erases nothing at the end of a line. */
const STYLING = new RegExp(String.raw`\u001b\[(?:${HARMLESS}(?:;${HARMLESS})*m|0?K)`, "g");

/** Anything else does more than add lines. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** The newest text of an output as of each chunk; bounded. */
export class TextTail {
  readonly #renderer: TextRenderer;
  readonly #overlap: number;
  #rows: number;
  /** The end of the final text, once there is some. */
  #settled: string | undefined;

  /** @param overlap Length of old text that is compared again with new text. */
  constructor(overlap: number, size: Size = DEFAULT_SIZE) {
    this.#overlap = overlap;
    this.#rows = size.rows;
    this.#renderer = new TextRenderer({
      size,
      reading: { alternate: "drawn", isFromStart: false },
    });
  }

  resize(size: Size): void {
    this.#rows = size.rows;
    this.#renderer.resize(size);
  }

  /** Returns the text to compare: what is new, what is on the screen, and the end of what was before. */
  push(piece: Uint8Array): string {
    return this.#pushLines(piece) ?? this.#render(piece);
  }

  #render(piece: Uint8Array): string {
    this.#renderer.write(piece, 0);
    const settled = this.#settle(this.#settled, this.#renderer.takeFinal());
    return joinTexts(settled, joinLines(this.#renderer.current()));
  }

  /** Of many plain lines, renders only those that stay on the screen; undefined for any other chunk. */
  #pushLines(piece: Uint8Array): string | undefined {
    if (!this.#renderer.isAppending) return undefined;
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString();
    if (startOfLastLines(text, this.#rows) === 0 || text.endsWith("\ufffd")) return undefined;
    const lines = text.replaceAll(STYLING, "").replaceAll("\r\n", "\n");
    if (ACTING.test(lines)) return undefined;
    const before = joinTexts(this.#settled, joinLines(this.#renderer.current()));
    const visible = text.length === piece.byteLength ? lines : withoutInvisible(lines);
    const start = startOfLastLines(visible, this.#rows);
    this.#renderer.scrollOut();
    this.#renderer.takeFinal();
    this.#renderer.writeText(visible.slice(start));
    // Both parts join at the line end before the rest.
    const scrolled = `${this.#lastOf(before)}${visible.slice(0, start - 1)}`;
    const settled = this.#settle(scrolled, this.#renderer.takeFinal());
    return joinTexts(settled, joinLines(this.#renderer.current()));
  }

  /** Final lines, with what was before. */
  #settle(before: string | undefined, lines: readonly RenderedLine[]): string | undefined {
    const text = lines.length === 0 ? before : joinFinal(before, lines);
    this.#settled = text === undefined ? undefined : this.#lastOf(text);
    return text;
  }

  #lastOf(text: string): string {
    return this.#overlap === 0 ? "" : text.slice(-this.#overlap);
  }
}

/** 0 when there are not more. */
function startOfLastLines(text: string, count: number): number {
  let at = text.length;
  for (let found = 0; found <= count; found++) {
    if (at === 0) return 0;
    at = text.lastIndexOf("\n", at - 1);
    if (at < 0) return 0;
  }
  return at + 1;
}

const joinTexts = (one: string | undefined, other: string): string =>
  one === undefined ? other : `${one}\n${other}`;

/** The first line may continue one that was cut. */
function joinFinal(before: string | undefined, lines: readonly RenderedLine[]): string {
  const text = joinLines(lines);
  return (lines[0]?.carry ?? 0) > 0 ? `${before ?? ""}${text}` : joinTexts(before, text);
}
