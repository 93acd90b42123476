/** Markup that was made here, with everything from elsewhere escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template. */
type Part = string | Html | readonly Html[];

/** Makes markup: texts are escaped, markup and lists of it go in as they are. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((string, index) => string + textOf(parts[index])).join(""));

function textOf(part: Part | undefined): string {
  if (part === undefined) return "";
  if (typeof part === "string") return escaped(part);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join("\n");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => ESCAPES[mark] ?? "");
