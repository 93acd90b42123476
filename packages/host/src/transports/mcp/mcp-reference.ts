// Generates docs/reference/mcp.md from the tools.
import { z } from "zod";
import { TEXT_FIELDS } from "./format-answer.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./tools/tools.ts";

export const MCP_REFERENCE_PATH = "mcp.md";

const Property = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  anyOf: z.array(z.object({ type: z.string().optional() })).optional(),
  const: z.unknown().optional(),
  description: z.string().optional(),
  items: z.unknown().optional(),
});

const Shape = z.object({
  properties: z.record(z.string(), Property),
  required: z.array(z.string()).optional(),
});

type Shape = z.infer<typeof Shape>;

export function renderMcpReference(): string {
  return `${[
    "# The tools of MCP",
    "Made from the tools themselves by `npm run generate`. How to connect an agent: [guide](../guides/mcp.md).",
    "An answer is one text: first what the program printed, as it is, then a newline and one last line, which is a JSON object with the facts. The last line is always Nacre's; what a program prints stands before it, whatever it looks like. So: the facts are what stands behind the last newline, the text is what stands before it. An answer without text is its facts alone. A failure is a result with `isError` and the fact `error`: `code`, `message`, `suggestion`, and `field` where one is to blame. While somebody else drives the terminal, every answer about it has the fact `driver`: `held_by`, `since`, `note` where something was said, and `next`, what to do; the first answer after that has it once more, with `held_by` `you`.",
    ...TOOLS.flatMap(renderTool),
  ].join("\n\n")}\n`;
}

function renderTool({ name, description, input, output }: Tool): readonly string[] {
  const asked = Shape.parse(z.toJSONSchema(input, { io: "input" }));
  const told = Shape.parse(z.toJSONSchema(output, { io: "output" }));
  const text = Object.entries(told.properties).find(([field]) => TEXT_FIELDS.has(field));
  const facts = Object.entries(told.properties).filter(([field]) => !TEXT_FIELDS.has(field));
  return [
    `## \`${name}\``,
    description,
    renderTable("Argument", Object.entries(asked.properties), asked.required),
    ...(text === undefined ? [] : [`Text: ${text[1].description ?? ""}`]),
    renderTable("Fact", facts, told.required),
  ];
}

function renderTable(
  title: string,
  fields: readonly (readonly [name: string, property: Shape["properties"][string]])[],
  required: readonly string[] = [],
): string {
  const rows = fields.map(([name, property]) => {
    const presence = required.includes(name) ? "always" : "optional";
    const about = (property.description ?? "").replaceAll("|", "\\|");
    return `| \`${name}\` | ${describeType(property)} | ${presence} | ${about} |`;
  });
  return [`| ${title} | Type | Present | About |`, "| --- | --- | --- | --- |", ...rows].join("\n");
}

function describeType({
  type,
  enum: values,
  anyOf,
  const: only,
}: Shape["properties"][string]): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(", ");
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  const types =
    anyOf === undefined ? [type ?? "any"].flat() : anyOf.map((one) => one.type ?? "any");
  return types.join(" or ");
}
