import { escapeHtml } from "../../base/html.ts";

/** Markup that was made here, with everything from elsewhere escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template. */
type HtmlPart = string | Html | readonly Html[];

/** Makes markup: texts are escaped, markup and lists of it go in as they are. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(strings.map((string, index) => string + renderPart(parts[index])).join(""));

function renderPart(part: HtmlPart | undefined): string {
  if (part === undefined) return "";
  if (typeof part === "string") return escapeHtml(part);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join("\n");
}
