#!/usr/bin/env node
import { ERRORS, NacreError } from "@nacre/contracts";
import type { Command } from "./command.ts";
import { configCommand } from "./commands/config.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { serveCommand } from "./commands/serve.ts";
import { statusCommand } from "./commands/status.ts";
import { stopCommand } from "./commands/stop.ts";
import { versionCommand } from "./commands/version.ts";
import { refuseToken } from "./parse-options.ts";
import { safeJson, safeText } from "./print.ts";

const COMMANDS: readonly Command[] = [
  serveCommand,
  statusCommand,
  stopCommand,
  mcpCommand,
  configCommand,
  doctorCommand,
  versionCommand,
];

const USAGE = [
  "nacre: terminals as durable, shared, recorded things",
  "",
  "Usage: nacre <command> [--json]",
  "",
  ...COMMANDS.flatMap(({ name, summary, usage }) => [
    `  ${name.padEnd(12)}${summary}`,
    ...(usage === undefined ? [] : [`  ${"".padEnd(12)}  ${usage}`]),
  ]),
  "",
  "Examples:",
  ...COMMANDS.flatMap(({ examples }) => examples.map((example) => `  ${example}`)),
].join("\n");

function findCommand(name: string): Command {
  const meant = ["--version", "-v"].includes(name) ? "version" : name;
  const command = COMMANDS.find((candidate) => candidate.name === meant);
  if (command) return command;
  const known = COMMANDS.map((candidate) => candidate.name).join(", ");
  throw new NacreError("invalid_argument", `unknown command ${name}; one of ${known}`, {
    suggestion: "Run `nacre --help`.",
  });
}

async function main(args: readonly string[]): Promise<number> {
  const isJson = args.includes("--json");
  const [name, ...rest] = args.filter((arg) => arg !== "--json");
  if (name === undefined || name === "help" || args.includes("--help") || args.includes("-h")) {
    console.log(USAGE);
    return 0;
  }
  try {
    refuseToken(args);
    const command = findCommand(name);
    const { result, text, exitCode, until, isSilent } = await command.run(rest);
    if (!isSilent) {
      console.log(isJson ? safeJson({ ok: true, command: command.name, result }) : text);
    }
    await until;
    return exitCode;
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    const { code, message, suggestion, field } = error;
    if (isJson) console.log(safeJson({ ok: false, error: { code, message, suggestion, field } }));
    else console.error(`nacre: ${safeText(message)}\n  → ${safeText(suggestion)}`);
    return ERRORS[code].cliExitCode;
  }
}

process.exitCode = await main(process.argv.slice(2));
