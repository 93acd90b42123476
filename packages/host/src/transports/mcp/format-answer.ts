import type { NacreError } from "@nacre/contracts";
import { readText } from "../../base/text/output-text.ts";

/** Tool names of operation fields. */
const TOOL_FIELD_NAMES: Readonly<Record<string, string>> = {
  id: "terminal_id",
  terminalId: "terminal_id",
  workingDirectory: "cwd",
  commandLine: "command",
  commandId: "command_id",
  data: "text",
  label: "prompt",
  maxOutputBytes: "max_output_bytes",
  timeoutMs: "timeout_ms",
  endAfterMs: "timeout_ms",
  "until.0.pattern": "pattern",
  "until.0.text": "text",
};

/** Tool wording of operation terms. */
const TOOL_WORDING: readonly (readonly [of: string, told: string])[] = [
  ["`requestControl`", "terminal_claim and its action `request`"],
  ["send text as `data`", "send text with terminal_write"],
  ["Read its recording", "Read it with terminal_read"],
  ["create a terminal", "use terminal_create"],
  [", name another one, or ask for the home fallback", ", or name another one"],
  ["Run the command by itself", "Run the command with terminal_exec"],
  ["type the line and wait for text or quiet", "type it with terminal_write and use terminal_wait"],
  ["Terminals that are created with a shell", "Terminals of terminal_create with a shell"],
  ["Look at its screen", "Look at it with terminal_screen"],
];

export function formatError(error: NacreError) {
  const { code, field, suggestion } = error;
  const shown = field === undefined ? undefined : (TOOL_FIELD_NAMES[field] ?? field);
  const isNamed = field !== undefined && error.message.startsWith(`${field}:`);
  const message = isNamed ? `${shown}${error.message.slice(field.length)}` : error.message;
  const told = {
    code,
    message: rewordForTools(message),
    field: shown,
    suggestion: rewordForTools(suggestion),
  };
  return { error: told };
}

/** In the words of tools, without what only machines see. */
function rewordForTools(text: string): string {
  let told = readText(text);
  for (const [of, other] of TOOL_WORDING) told = told.replaceAll(of, other);
  return told;
}

/** Text of a program; all other fields are facts about it. */
export const TEXT_FIELDS: ReadonlySet<string> = new Set(["output", "screen"]);

/**
 * One text: the program's output as it is, then one last line of JSON with the facts. The last line is never a
 * program's. One block and no `structuredContent`, because clients show models only one of the two, and some only the
 * first of several blocks.
 */
export function formatAnswer(answer: object): string {
  const fields = Object.entries(answer);
  const texts = fields.filter(([name, value]) => TEXT_FIELDS.has(name) && value !== "");
  const facts = Object.fromEntries(fields.filter(([name]) => !TEXT_FIELDS.has(name)));
  return [...texts.map(([, text]) => String(text)), JSON.stringify(facts)].join("\n");
}
