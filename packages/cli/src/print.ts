import { formatBytes, safeText, type Tone } from "@nacre/client/ui";

/** A person sees no more changes than these. */
const MIN_INTERVAL_MS = 100;

/** Says on standard error how far long work is, where a terminal shows it, and leaves nothing there. */
export class Progress implements Disposable {
  readonly #isShown: boolean;
  #lastAt = 0;
  #hasText = false;

  constructor(isQuiet: boolean) {
    this.#isShown = process.stderr.isTTY && !isQuiet;
  }

  /** What is done now; said at most a few times per second. */
  say(text: string): void {
    const now = performance.now();
    if (!this.#isShown || now - this.#lastAt < MIN_INTERVAL_MS) return;
    this.#lastAt = now;
    this.#hasText = true;
    process.stderr.write(`\r\u001B[K${text}`);
  }

  [Symbol.dispose](): void {
    if (this.#hasText) process.stderr.write("\r\u001B[K");
  }
}

/** Passes bytes on and says how many there were. */
export async function* withProgress(
  source: AsyncIterable<Uint8Array>,
  { progress, what, total }: { progress: Progress; what: string; total?: number | undefined },
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    const share = total ? ` of ${formatBytes(total)}` : "";
    progress.say(`${what}: ${formatBytes(bytes)}${share}`);
    yield chunk;
  }
}

/** One column of a table, and how each row of data fills it. */
export interface Column<Row> {
  readonly head: string;
  /** What others said goes through `safeText` here, once for all tables. */
  readonly text: (row: Row) => string;
  /** Longer texts are cut. */
  readonly maxWidth?: number;
  /** How the text is marked once it has its width. */
  readonly mark?: (text: string, row: Row, style: Style) => string;
}

/** Writes rows below each other, each column as wide as its widest text; the last is never filled up. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  style: Style,
): string {
  const cells = rows.map((row) =>
    columns.map(({ text, maxWidth }) => cut(safeText(text(row)), maxWidth)),
  );
  const widths = columns.map(({ head }, at) =>
    Math.max(displayWidth(head), ...cells.map((line) => displayWidth(line[at] ?? ""))),
  );
  const fill = (text: string, at: number): string =>
    at === columns.length - 1 ? text : text + " ".repeat((widths[at] ?? 0) - displayWidth(text));
  const lines = rows.map((row, index) =>
    columns
      .map(({ mark }, at) => {
        const text = fill(cells[index]?.[at] ?? "", at);
        return mark ? mark(text, row, style) : text;
      })
      .join("  "),
  );
  return [style.dim(columns.map(({ head }, at) => fill(head, at)).join("  ")), ...lines]
    .map((line) => line.trimEnd())
    .join("\n");
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1F64F}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]/u;

const segmenter = new Intl.Segmenter();

/** How many columns a terminal shows a text in, near enough for a table. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

function cut(text: string, maxWidth = Number.POSITIVE_INFINITY): string {
  if (displayWidth(text) <= maxWidth) return text;
  let kept = "";
  let width = 1;
  for (const { segment } of segmenter.segment(text)) {
    width += displayWidth(segment);
    if (width > maxWidth) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** How text is marked for people; without colours every method gives back what it got. */
export interface Style {
  readonly isColored: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  /** In the colour of a tone. */
  tone(tone: Tone, text: string): string;
}

/** What decides about colours. */
interface ColorQuestion {
  /** The value of `--color`. */
  readonly when: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** The option decides, then NO_COLOR, then CLICOLOR_FORCE, then whether a terminal is there to show them. */
export function wantsColor({ when = "auto", env, isTerminal }: ColorQuestion): boolean {
  if (when !== "auto") return when === "always";
  if (env["NO_COLOR"]) return false;
  const forced = env["CLICOLOR_FORCE"];
  if (forced !== undefined && forced !== "" && forced !== "0") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

/** Marks text with colours, or leaves it alone. */
export function createStyle(isColored: boolean): Style {
  const mark = (on: number, off: number) => (text: string) =>
    isColored && text !== "" ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  const [dim, red, green] = [mark(2, 22), mark(31, 39), mark(32, 39)];
  const [yellow, cyan] = [mark(33, 39), mark(36, 39)];
  const tones = { neutral: dim, good: green, bad: red, warn: yellow, info: cyan };
  return {
    isColored,
    bold: mark(1, 22),
    dim,
    red,
    green,
    yellow,
    cyan,
    tone: (tone, text) => tones[tone](text),
  };
}
