/** The fields of an answer that are text of a program; everything else is a fact about it. */
export const TEXT_FIELDS: ReadonlySet<string> = new Set(["output", "screen"]);

/**
 * Writes an answer as one text: what was printed, as it is, then one last line of JSON with the facts. The last line is
 * never a program's: whatever a program prints stands before it. It is one block and no `structuredContent`, because
 * clients show models only one of the two, and some only the first of several blocks.
 */
export function formatAnswer(answer: object): string {
  const fields = Object.entries(answer);
  const texts = fields.filter(([name, value]) => TEXT_FIELDS.has(name) && value !== "");
  const facts = Object.fromEntries(fields.filter(([name]) => !TEXT_FIELDS.has(name)));
  return [...texts.map(([, text]) => String(text)), JSON.stringify(facts)].join("\n");
}
