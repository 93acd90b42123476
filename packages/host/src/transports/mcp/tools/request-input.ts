import { setTimeout as sleep } from "node:timers/promises";
import { MarkerLabel, type TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { endingFields, terminalId, timeoutMs } from "../fields.ts";
import { inputNeededNow, presentPosition } from "../read-shown.ts";
import { CHANGES, defineTool, type ToolCall } from "../tool.ts";

/** A person has to notice, come, and type. */
const DEFAULT_DEADLINE_MS = 120_000;

/** A person does not notice a shorter time, and looking costs next to nothing. */
const LOOK_MS = 250;

type Outcome = "answered" | "no_answer" | "exited";

/** Asks a person to type something into a terminal. */
export const requestInputTool = defineTool({
  name: "terminal_request_input",
  title: "Ask a person to type",
  description:
    "Asks a person to type into a terminal what you must not know or cannot decide: a password, a token, a choice. Waits until somebody has typed or the deadline passes. What was typed is never told to you.",
  input: z.strictObject({
    terminal_id: terminalId,
    prompt: MarkerLabel.min(1).describe("What the person is asked for, in a few words."),
    timeout_ms: timeoutMs(`How long to wait; ${DEFAULT_DEADLINE_MS} when absent.`),
  }),
  output: z.object({
    outcome: z
      .enum(["answered", "no_answer", "exited"])
      .describe("`answered` once somebody has typed, `exited` when the program ended before."),
    terminal_id: endingFields.terminal_id,
    still_running: endingFields.still_running,
    cursor: z.string().describe("Where to go on with terminal_read or terminal_wait."),
  }),
  hints: CHANGES,
  run: async (input, call) => {
    const id = input.terminal_id;
    const { after } = await presentPosition(call, id);
    // Everybody who follows the terminal is told, and its recording keeps that it was asked.
    await call.ask("markRecording", { id, label: input.prompt });
    const deadline = performance.now() + (input.timeout_ms ?? DEFAULT_DEADLINE_MS);
    const outcome = await untilTyped(call, { id, after, deadline });
    return {
      outcome,
      terminal_id: id,
      still_running: outcome !== "exited",
      cursor: String(after),
    };
  },
});

interface Question {
  readonly id: TerminalId;
  /** What was typed behind this sequence is the answer. */
  readonly after: number;
  readonly deadline: number;
}

/** Waits until what the program asked for was typed; only that it was is looked at, never what. */
async function untilTyped(call: ToolCall, { id, after, deadline }: Question): Promise<Outcome> {
  let asked: string | undefined;
  for (;;) {
    const { entries } = await call.ask("findRecordingEntries", {
      terminalId: id,
      types: ["input", "exit"],
      after,
    });
    const isTyped = entries.some(({ type }) => type === "input");
    if (entries.some(({ type }) => type === "exit")) return isTyped ? "answered" : "exited";
    // A program asks until Enter is pressed, and when it asks again that is another question.
    const needed = (await inputNeededNow(call, id))?.since;
    if (isTyped && (asked === undefined || needed !== asked)) return "answered";
    asked ??= needed;
    if (performance.now() >= deadline) return "no_answer";
    await sleep(LOOK_MS, undefined, { signal: call.signal });
  }
}
