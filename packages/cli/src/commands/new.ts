import { safeText } from "@nacre/client/ui";
import { resolve } from "node:path";
import type { Command, Outcome } from "../command.ts";
import { Context } from "../context.ts";
import { findVerb } from "../find-verb.ts";
import { type OptionValues, parseWholeOwner } from "../option-values.ts";
import { LIMIT_OPTIONS, parseLimits, parseVariables } from "../limits.ts";
import { parseSize } from "../sizes.ts";

export const newCommand: Command = {
  name: "new",
  section: "terminals",
  makesHome: true,
  summary: "Create a terminal and print its id",
  description:
    "It runs a shell, or the program behind `--`, and goes on until that ends, whoever comes and goes.",
  rest: {
    name: "program",
    description: "Program with its arguments, instead of a shell",
    isOptional: true,
    isGreedy: true,
  },
  options: [
    { name: "name", short: "n", value: "NAME", description: "What people call it" },
    { name: "cwd", value: "DIR", description: "Where it starts; here when absent" },
    {
      name: "env",
      short: "e",
      value: "NAME=VALUE",
      isMany: true,
      description: "A variable for it",
    },
    { name: "size", value: "COLSxROWS", description: "Its size; 80x24 when absent" },
    { name: "shell", value: "SHELL", description: "Which shell to run" },
    { name: "owner", value: "KIND:ID", description: "Whose terminal it is, such as Task:42" },
    { name: "keep", description: "Let it go on when its owner is gone" },
    {
      name: "input",
      value: "POLICY",
      choices: ["open", "holder"],
      description: "Who may type: everybody who may change it, or only who holds it",
    },
    {
      name: "record-input",
      value: "HOW",
      choices: ["full", "lines", "counts", "off"],
      description: "How much of what is typed is recorded",
    },
    { name: "strict", description: "Let the program wait while its recording cannot be written" },
    ...LIMIT_OPTIONS,
    { name: "attach", short: "a", description: "Attach to it at once" },
  ],
  examples: [
    { line: "nacre new", about: "a shell, here" },
    { line: "nacre new --name tests --cwd /tmp", about: "a shell with a name, elsewhere" },
    { line: "nacre new -n top --size 100x30 -- top -d 5", about: "a program of its own" },
    { line: "nacre new --max-memory 2G -- sleep 1", about: "a program that may not take more" },
    { line: "nacre new --json -e CI=1", about: "for programs: result.id" },
  ],

  async run({ options, rest = [], call, isJson }) {
    const [command, ...args] = rest;
    const size = options.text("size");
    const owner = options.text("owner");
    const terminal = await call("createTerminal", {
      workingDirectory: resolve(options.text("cwd") ?? "."),
      ...(command === undefined ? {} : { command, args }),
      ...textFields(options),
      ...(size === undefined ? {} : { size: parseSize(size, "size") }),
      ...(owner === undefined ? {} : { owner: parseWholeOwner(owner) }),
      ...(options.has("env") ? { env: parseVariables(options.many("env")) } : {}),
      ...(options.has("keep") ? { whenOwnerEnds: "keep" } : {}),
      ...(options.has("strict") ? { strictRecording: true } : {}),
      ...parseLimits(options),
    });
    const { id, name, workingDirectory, state, cols, rows } = terminal;
    if (options.has("attach") && !isJson) return await attachTo(id);
    const result = { id, name, workingDirectory, state, cols, rows };
    return { result, text: safeText(id) };
  },
};

/** Continues like `nacre attach`. */
async function attachTo(id: string): Promise<Outcome> {
  const attach = await findVerb("attach").load();
  using context = new Context(attach, { options: new Map(), args: [id], rest: undefined });
  return await attach.run(context);
}

/** Passed on unchanged; the host validates them. */
function textFields(options: OptionValues) {
  const name = options.text("name");
  const shell = options.text("shell");
  const inputPolicy = options.text("input") as "open" | "holder" | undefined;
  const inputRecording = options.text("record-input") as
    | "full"
    | "lines"
    | "counts"
    | "off"
    | undefined;
  return {
    ...(name === undefined ? {} : { name }),
    ...(shell === undefined ? {} : { shell }),
    ...(inputPolicy === undefined ? {} : { inputPolicy }),
    ...(inputRecording === undefined ? {} : { inputRecording }),
  };
}
