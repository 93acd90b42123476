import { z } from "zod";
import { systemText } from "./bounded-text.ts";
import { Command } from "./command.ts";
import { AfterSequence, CommandId, Sequence, TerminalId } from "./ids.ts";
import { timeoutMs } from "./output.ts";
import { RecordingBlocked } from "./storage.ts";
import { InputNeeded } from "./terminal-state.ts";

export const DEFAULT_WAIT_MS = 30_000;

/** Compared with every line; a longer text is a file, not a message. */
const MAX_PATTERN_LENGTH = 1024;

const MAX_QUIET_MS = 60_000;

const quietMs = (description: string) => z.int().min(1).max(MAX_QUIET_MS).meta({ description });

const until = <Kind extends string, Fields extends z.ZodRawShape>(
  kind: Kind,
  description: string,
  fields: Fields,
) =>
  z
    .strictObject({ kind: z.literal(kind).meta({ description: `Always \`${kind}\`.` }), ...fields })
    .meta({ description });

export const WaitCondition = z
  .discriminatedUnion("kind", [
    until("text", "A text appears in the output.", {
      text: systemText({
        description: "The text, as a person sees it.",
        maxLength: MAX_PATTERN_LENGTH,
      }),
    }),
    until("regex", "The output matches a regular expression.", {
      pattern: systemText({
        description: "A regular expression of JavaScript, compared line by line.",
        maxLength: MAX_PATTERN_LENGTH,
      }),
    }),
    until("idle", "Nothing is written for a while.", {
      quietMs: quietMs("For how long nothing may be written."),
    }),
    until("screenStable", "The screen does not change for a while.", {
      quietMs: quietMs("For how long the screen may not change."),
    }),
    until("prompt", "The shell waits for a command line.", {}),
    until("commandEnd", "A command ends.", {
      commandId: CommandId.optional().meta({
        description: "Which one; the next that ends when absent.",
      }),
    }),
    until("exit", "The program of the terminal ends.", {}),
    until("inputNeeded", "The program waits for somebody to type.", {}),
  ])
  .meta({ description: "Something to wait for." });
export type WaitCondition = z.infer<typeof WaitCondition>;

const MAX_CONDITIONS = 8;

/** The first condition that holds ends the wait, and so does the deadline. */
export const WaitInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to watch." }),
    until: z.array(WaitCondition).min(1).max(MAX_CONDITIONS).meta({
      description: "The first of these that is met ends the wait.",
    }),
    after: AfterSequence.optional().meta({
      description:
        "Only what happens after this sequence counts, what was recorded since then included; from now on when absent.",
    }),
    timeoutMs: timeoutMs(DEFAULT_WAIT_MS),
  })
  .meta({ description: "What to wait for in a terminal." });
export type WaitInput = z.infer<typeof WaitInput>;

/** `timeout`, `exit` and `recordingBlocked` may end any wait. */
export const WaitResult = z
  .strictObject({
    outcome: z
      .enum([
        "text",
        "regex",
        "idle",
        "screenStable",
        "prompt",
        "commandEnd",
        "exit",
        "inputNeeded",
        "recordingBlocked",
        "timeout",
      ])
      .meta({
        description:
          "The condition that was met, `exit` of the program, `timeout`, or `recordingBlocked` when nothing can be recorded, so that nothing can be waited for.",
      }),
    sequence: z.union([Sequence, z.literal(0)]).meta({
      description: "The newest entry that was looked at; what to send as `after` to go on.",
    }),
    match: z.string().optional().meta({ description: "The text that was found." }),
    command: Command.optional().meta({ description: "The command that ended." }),
    inputNeeded: InputNeeded.optional().meta({
      description: "Present while the program waits for somebody to type.",
    }),
    recordingBlocked: RecordingBlocked.optional().meta({
      description: "Present while the terminal cannot be recorded.",
    }),
  })
  .meta({ description: "What ended a wait." });
export type WaitResult = z.infer<typeof WaitResult>;
