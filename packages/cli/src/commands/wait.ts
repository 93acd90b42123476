import type { CommandId, WaitCondition } from "@nacre/contracts";
import type { Command } from "../command.ts";
import type { OptionValues } from "../option-values.ts";
import { TERMINAL } from "../terminal-words.ts";
import { waitOutcome, waitUntil } from "../wait-until.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

export const waitCommand: Command = {
  name: "wait",
  section: "driving",
  summary: "Wait until something happens in a terminal",
  description:
    "The first of what is asked for ends it. Without any, it is somebody's turn: the shell waits for a command, a program asks for input, or it ended. Only what happens from now on counts, unless --after says otherwise.",
  arguments: [TERMINAL],
  options: [
    { name: "text", value: "TEXT", isMany: true, description: "A text is written" },
    { name: "regex", value: "PATTERN", isMany: true, description: "A line matches" },
    { name: "idle", value: "TIME", description: "Nothing is written for so long" },
    { name: "stable", value: "TIME", description: "The screen does not change for so long" },
    { name: "prompt", description: "The shell waits for a command" },
    { name: "command-end", description: "A command ends" },
    { name: "command", value: "ID", description: "This command ends" },
    { name: "input-needed", description: "The program asks for input" },
    { name: "exit", description: "The program of the terminal ends" },
    { name: "after", value: "SEQUENCE", description: "What happened behind this entry counts too" },
    { name: "timeout", value: "TIME", description: "How long at most; 30s when absent" },
  ],
  examples: [
    { line: "nacre wait build --timeout 5s", about: "until it is somebody's turn" },
    { line: "nacre wait build --idle 200ms --timeout 1m", about: "until it is quiet" },
    {
      line: "nacre wait build --text ready --after 0 --json",
      about: "a text, also in what was written",
    },
  ],
  exitCodes: [
    ["4", "the program ended before that happened"],
    ["11", "it did not happen in time; with --json `result` has what was seen"],
  ],

  async run(context) {
    const { call, options } = context;
    const { id } = await context.terminal(context.args[0]);
    const asked = conditionsOf(options);
    const until = asked.length > 0 ? asked : TURN;
    const timeoutMs = options.durationMs("timeout") ?? DEFAULT_TIMEOUT_MS;
    const after = options.integer("after");
    return waitOutcome(await waitUntil({ id, until, after, timeoutMs }, call), until);
  },
};

const TURN: WaitCondition[] = [{ kind: "prompt" }, { kind: "inputNeeded" }, { kind: "exit" }];

function conditionsOf(options: OptionValues): WaitCondition[] {
  const idle = options.durationMs("idle");
  const stable = options.durationMs("stable");
  const command = options.text("command");
  return [
    ...options.many("text").map((text) => ({ kind: "text" as const, text })),
    ...options.many("regex").map((pattern) => ({ kind: "regex" as const, pattern })),
    ...(idle === undefined ? [] : [{ kind: "idle" as const, quietMs: idle }]),
    ...(stable === undefined ? [] : [{ kind: "screenStable" as const, quietMs: stable }]),
    ...(options.has("prompt") ? [{ kind: "prompt" as const }] : []),
    ...(options.has("command-end") ? [{ kind: "commandEnd" as const }] : []),
    // The host validates the id.
    ...(command === undefined
      ? []
      : [{ kind: "commandEnd" as const, commandId: command as CommandId }]),
    ...(options.has("input-needed") ? [{ kind: "inputNeeded" as const }] : []),
    ...(options.has("exit") ? [{ kind: "exit" as const }] : []),
  ];
}
