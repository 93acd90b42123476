import { createWriteStream } from "node:fs";
import { extname } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ExportFormat, ExportRecordingInput, TerminalId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import type { OptionValues } from "../option-values.ts";
import { Progress, withProgress } from "../print.ts";
import { TERMINAL } from "../terminal-words.ts";
import { fileProblem } from "../write-file.ts";

/** Names of the formats on the command line. */
const FORMATS: Readonly<Record<string, ExportFormat>> = {
  cast: "asciicast3",
  cast2: "asciicast2",
  text: "text",
  html: "html",
  json: "jsonLines",
  raw: "raw",
};

/** By file extension. */
const ENDINGS: Readonly<Record<string, ExportFormat>> = {
  ".cast": "asciicast3",
  ".txt": "text",
  ".log": "text",
  ".html": "html",
  ".htm": "html",
  ".json": "jsonLines",
  ".jsonl": "jsonLines",
  ".raw": "raw",
};

export const exportCommand: Command = {
  name: "export",
  section: "recordings",
  summary: "Write a recording to a file: a cast, text, HTML, JSON or raw",
  description:
    "A cast can be played by asciinema, with every command as a chapter. What was typed is only in it with --input, and never a secret.",
  arguments: [TERMINAL],
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      description: "Where to; - for standard output, which is meant when absent",
    },
    {
      name: "format",
      short: "f",
      value: "FORMAT",
      choices: Object.keys(FORMATS),
      description: "What to write; by the end of the file name when absent, else cast",
    },
    { name: "input", description: "With what was typed (casts)" },
    {
      name: "idle-time-limit",
      short: "i",
      value: "TIME",
      description: "Let players wait at most so long (casts)",
    },
    { name: "from", value: "SEQUENCE", description: "First entry" },
    { name: "to", value: "SEQUENCE", description: "Last entry" },
  ],
  examples: [
    { line: "nacre export build -o build.cast", about: "for asciinema" },
    { line: "nacre export build -o build.html", about: "a page that needs nothing else" },
    { line: "nacre export build -f text | tail -n 5", about: "the lines a person saw" },
  ],

  async run(context) {
    const { options, isQuiet, isJson } = context;
    const file = options.text("output") ?? "-";
    const isFile = file !== "-";
    if (isJson && !isFile) {
      throw new NacreError("invalid_argument", "export: --json needs --output", {
        field: "output",
        suggestion: "Name a file with -o, or leave --json out.",
      });
    }
    const { id } = await context.terminal(context.args[0]);
    const input = inputOf(id, options, file);
    if (!isFile && process.stdout.isTTY && input.format !== "text") {
      throw new NacreError(
        "invalid_argument",
        "export: refusing to write this format to a terminal",
        {
          field: "output",
          suggestion: "Write it to a file with -o, or ask for text with -f text.",
        },
      );
    }
    const client = await context.client();
    const { bytes } = await client.exportRecording(input);
    using progress = new Progress(isQuiet);
    let written = 0;
    const target = isFile ? createWriteStream(file, { mode: 0o600 }) : process.stdout;
    const source = withProgress(bytes, { progress, what: `exporting ${id}` });
    try {
      await pipeline(
        source,
        async function* (chunks) {
          for await (const chunk of chunks) {
            written += chunk.length;
            yield chunk;
          }
        },
        target,
        { end: isFile },
      );
    } catch (error) {
      if (error instanceof NacreError) throw error;
      throw fileProblem(isFile ? file : "standard output", error);
    }
    const result = { id, file: isFile ? file : null, format: input.format, bytes: written };
    return { result, text: "", ...(isFile ? {} : { isPrinted: true as const }) };
  },
};

function inputOf(id: TerminalId, options: OptionValues, file: string): ExportRecordingInput {
  const format = options.text("format");
  const idleMs = options.durationMs("idle-time-limit");
  const [from, to] = [options.integer("from"), options.integer("to")];
  return {
    id,
    format: (format === undefined ? ENDINGS[extname(file)] : FORMATS[format]) ?? "asciicast3",
    ...(options.has("input") ? { input: true } : {}),
    ...(idleMs === undefined ? {} : { idleTimeLimit: idleMs / 1000 }),
    ...(from === undefined ? {} : { fromSequence: from }),
    ...(to === undefined ? {} : { toSequence: to }),
  };
}
