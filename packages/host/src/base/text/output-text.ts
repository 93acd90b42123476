// The text of an output: what a person reads of it at the end. docs/decisions/0014-one-text.md says what that is.
import { DEFAULT_SIZE, type OutputExcerpt, type Size } from "@nacre/contracts";
import { withoutInvisible } from "./cells.ts";
import { TextRenderer } from "./text-renderer.ts";

export interface OutputTextOptions {
  /** The size of the terminal, which decides where lines run over; 80 × 24 when nobody knows. */
  readonly size?: Size | undefined;
  /** The output right before: a line editor redraws with columns that count from the left, where its prompt stands. */
  readonly before?: string | undefined;
  /** Whether the output is known from the start of its terminal. */
  readonly isFromStart?: boolean | undefined;
}

/** Everything that acts; a line feed and a tab are text already. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** What a person reads of an output. */
export function readText(output: string, options: OutputTextOptions = {}): string {
  const { size = DEFAULT_SIZE, before = "", isFromStart = false } = options;
  // Most strings that are shown are no output of a program; without controls a text is what it is.
  if (!ACTING.test(output)) return withoutInvisible(output);
  const renderer = new TextRenderer({ size, reading: { alternate: "notice", isFromStart } });
  renderer.writeText(before);
  const prompt = before === "" ? "" : renderer.beginHere();
  renderer.writeText(output);
  const text = renderer.takeText();
  return text.startsWith(prompt) ? text.slice(prompt.length) : text;
}

/** The line that stands for what is left out of an output. */
export const formatOmission = (totalBytes: number, omittedBytes: number): string =>
  `[${omittedBytes} of ${totalBytes} bytes left out here]\n`;

/** What a person reads of an excerpt. */
export function readExcerptText(excerpt: OutputExcerpt, before?: string): string {
  const { text, totalBytes, omittedBytes, size, position } = excerpt;
  const isFromStart = position.after === 0;
  return readTextEnds(text, formatOmission(totalBytes, omittedBytes), {
    before,
    size,
    isFromStart,
  });
}

/** What a person reads of an output whose middle is left out: neither end can hide the other, or the notice between them. */
export function readTextEnds(
  output: string,
  notice: string,
  options: OutputTextOptions = {},
): string {
  const at = notice === "" ? -1 : output.indexOf(notice);
  if (at < 0) return readText(output, options);
  const head = readText(output.slice(0, at), options);
  const tail = readText(output.slice(at + notice.length), { size: options.size });
  return `${head}${notice}${tail}`;
}
