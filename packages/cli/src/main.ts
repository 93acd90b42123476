#!/usr/bin/env node
import { ERRORS, NacreError } from "@nacre/contracts";
import type { Command } from "./command.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { versionCommand } from "./commands/version.ts";

const COMMANDS: readonly Command[] = [doctorCommand, versionCommand];

const USAGE = [
  "nacre: terminals as durable, shared, recorded things",
  "",
  "Usage: nacre <command> [--json]",
  "",
  ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`),
  "",
  "Examples:",
  ...COMMANDS.flatMap(({ examples }) => examples.map((example) => `  ${example}`)),
].join("\n");

function findCommand(name: string | undefined, rest: readonly string[]): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) {
    const known = COMMANDS.map((candidate) => candidate.name).join(", ");
    throw new NacreError("invalid_argument", `unknown command ${String(name)}; one of ${known}`, {
      suggestion: "Run `nacre --help`.",
    });
  }
  if (rest.length > 0) {
    throw new NacreError(
      "invalid_argument",
      `${command.name} takes no argument ${String(rest[0])}`,
    );
  }
  return command;
}

async function main(args: readonly string[]): Promise<number> {
  const isJson = args.includes("--json");
  const [name, ...rest] = args.filter((arg) => arg !== "--json");
  if (name === undefined || name === "help" || args.includes("--help") || args.includes("-h")) {
    console.log(USAGE);
    return 0;
  }
  try {
    const command = findCommand(["--version", "-v"].includes(name) ? "version" : name, rest);
    const { result, text, exitCode } = await command.run();
    console.log(isJson ? JSON.stringify({ ok: true, command: name, result }) : text);
    return exitCode;
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    const { code, message, suggestion } = error;
    if (isJson) console.log(JSON.stringify({ ok: false, error: { code, message, suggestion } }));
    else console.error(`nacre: ${message}\n  → ${suggestion}`);
    return ERRORS[code].cliExitCode;
  }
}

process.exitCode = await main(process.argv.slice(2));
