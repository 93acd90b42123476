import { formatBytes, safeText, type Tone } from "@nacre/client/ui";

/** People notice no more changes. */
const MIN_INTERVAL_MS = 100;

/** Progress on stderr where that is a terminal; leaves nothing behind. */
export class Progress implements Disposable {
  readonly #isShown: boolean;
  #lastAt = 0;
  #hasText = false;

  constructor(isQuiet: boolean) {
    this.#isShown = process.stderr.isTTY && !isQuiet;
  }

  /** Throttled. */
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

export interface Column<Row> {
  readonly head: string;
  /** Goes through `safeText` here, once for all tables. */
  readonly text: (row: Row) => string;
  /** Longer texts are cut. */
  readonly maxWidth?: number;
  /** Applied after padding. */
  readonly mark?: (text: string, row: Row, style: Style) => string;
}

/** Each column as wide as its widest text; the last is not padded. */
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

/** Approximate columns, good enough for a table. */
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

interface ColorQuestion {
  /** `--color`. */
  readonly when: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** The option, then NO_COLOR, then CLICOLOR_FORCE, then isatty. */
export function wantsColor({ when = "auto", env, isTerminal }: ColorQuestion): boolean {
  if (when !== "auto") return when === "always";
  if (env["NO_COLOR"]) return false;
  const forced = env["CLICOLOR_FORCE"];
  if (forced !== undefined && forced !== "" && forced !== "0") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

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
