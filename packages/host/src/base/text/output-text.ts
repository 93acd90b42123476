// The text of an output as a person reads it at the end; see docs/decisions/0014-one-text.md.
import { DEFAULT_SIZE, type OutputExcerpt, type Size } from "@nacre/contracts";
import { withoutInvisible } from "./cells.ts";
import { TextRenderer } from "./text-renderer.ts";

export interface OutputTextOptions {
  /** Decides where lines wrap; default 80 × 24. */
  readonly size?: Size | undefined;
  /** The output right before: a line editor redraws with absolute columns, after its prompt. */
  readonly before?: string | undefined;
  /** The output is known from the start of its terminal. */
  readonly isFromStart?: boolean | undefined;
}

/** Every control except line feed and tab, which are text already. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

export function readText(output: string, options: OutputTextOptions = {}): string {
  const { size = DEFAULT_SIZE, before = "", isFromStart = false } = options;
  // Most displayed strings are not program output; without controls a text is what it is.
  if (!ACTING.test(output)) return withoutInvisible(output);
  const renderer = new TextRenderer({ size, reading: { alternate: "notice", isFromStart } });
  renderer.writeText(before);
  const prompt = before === "" ? "" : renderer.beginHere();
  renderer.writeText(output);
  const text = renderer.takeText();
  return text.startsWith(prompt) ? text.slice(prompt.length) : text;
}

/** Stands for the omitted part. */
export const formatOmission = (totalBytes: number, omittedBytes: number): string =>
  `[${omittedBytes} of ${totalBytes} bytes left out here]\n`;

export function readExcerptText(excerpt: OutputExcerpt, before?: string): string {
  const { text, totalBytes, omittedBytes, size, position } = excerpt;
  const isFromStart = position.after === 0;
  return readTextEnds(text, formatOmission(totalBytes, omittedBytes), {
    before,
    size,
    isFromStart,
  });
}

/** For an output with its middle left out: neither end can overwrite the other, or the notice between them. */
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
