import { escapeHtml } from "../../base/html.ts";

/** Everything from outside is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HtmlPart = string | Html | readonly Html[];

/** Strings are escaped, `Html` and lists of it are not. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(strings.map((string, index) => string + renderPart(parts[index])).join(""));

function renderPart(part: HtmlPart | undefined): string {
  if (part === undefined) return "";
  if (typeof part === "string") return escapeHtml(part);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join("\n");
}
