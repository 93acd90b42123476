import { type Command, NacreError, type OperationInput } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ScriptedCaller, type Script } from "./testing/scripted-caller.ts";
import { runTool } from "./tools/exec.ts";

const ID = "terminal:1";
const LINE = "make all";

const EXCERPT = {
  text: "built\r\n",
  truncated: false,
  totalBytes: 7,
  totalLines: 1,
  omittedBytes: 0,
  position: { after: 8 },
};

const command = (more: Partial<Record<keyof Command, unknown>> = {}) => ({
  commandId: "c1",
  terminalId: ID,
  commandLine: LINE,
  firstSequence: 8,
  startedAt: "2026-01-01T00:00:00.000Z",
  quality: "exact",
  ...more,
});

const ENDED = { lastSequence: 11, exitCode: 3, durationMs: 1500, endedBy: "marker" };

/** A daemon that died before it answered, and the next one. */
const lost = (scripts: Readonly<Record<string, Script>>): ScriptedCaller =>
  new ScriptedCaller({
    runCommand: () => {
      throw new NacreError("unavailable", `no host answers; the command may go on in ${ID}`, {
        details: { terminalId: ID },
      });
    },
    waitFor: ({ until }: OperationInput<"waitFor">) => ({
      outcome: until[0]?.kind === "exit" ? "timeout" : "commandEnd",
      sequence: 7,
    }),
    ...scripts,
  });

const use = (caller: ScriptedCaller): Promise<object> =>
  runTool.use({ terminal_id: ID, command: LINE, yield_time_ms: 250 }, caller.use);

const countRuns = ({ asked }: ScriptedCaller): number =>
  asked.filter(([name]) => name === "runCommand").length;

test("a command that goes on over the end of its daemon is answered with its exit code and output", async () => {
  const caller = lost({
    listCommands: () => ({ commands: [command()], truncated: false }),
    readCommand: () => ({ command: command(ENDED), output: EXCERPT }),
  });
  expect(await use(caller)).toMatchObject({
    still_running: false,
    exit_code: 3,
    command_id: "c1",
    duration_ms: 1500,
    output: "built\n",
  });
  expect(countRuns(caller)).toBe(1);
  expect(caller.asked).toContainEqual(["listCommands", { id: ID, after: 7 }]);
});

test("one that still runs is told to run, with what it wrote so far", async () => {
  const caller = lost({
    waitFor: () => ({ outcome: "timeout", sequence: 7 }),
    listCommands: () => ({ commands: [command()], truncated: false }),
    readCommand: () => ({ command: command(), output: EXCERPT }),
  });
  expect(await use(caller)).toMatchObject({
    still_running: true,
    exit_code: null,
    command_id: "c1",
    output: "built\n",
    next: expect.stringContaining("terminal_wait") as string,
  });
});

test("one that begins only when the next daemon is there is waited for", async () => {
  let isBegun = false;
  const caller = lost({
    listCommands: () => ({ commands: isBegun ? [command()] : [], truncated: false }),
    waitFor: ({ until }: OperationInput<"waitFor">) => {
      isBegun ||= until[0]?.kind === "commandEnd";
      return { outcome: "commandEnd", sequence: 7 };
    },
    readCommand: () => ({ command: command(ENDED), output: EXCERPT }),
  });
  expect(await use(caller)).toMatchObject({ still_running: false, exit_code: 3 });
});

test("`exit` ends the shell with the command, and the exit code is that of the shell", async () => {
  const ended = command({ lastSequence: 11, endedBy: "exit" });
  const caller = lost({
    listCommands: () => ({ commands: [ended], truncated: false }),
    readCommand: () => ({ command: ended, output: EXCERPT }),
    readTerminal: () => ({ exitCode: 9 }),
  });
  expect(await use(caller)).toMatchObject({ still_running: false, exit_code: 9 });
});

test.for([
  ["did not begin", [], ENDED],
  ["has the line of another", [command(), command({ commandId: "c2" })], ENDED],
  ["ended unseen", [command()], { lastSequence: 11, endedBy: "restart" }],
] as const)("of one that %s nothing is claimed", async ([, commands, ending]) => {
  const caller = lost({
    listCommands: () => ({ commands, truncated: false }),
    readCommand: () => ({ command: command(ending), output: EXCERPT }),
  });
  await expect(use(caller)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(`the command may go on in ${ID}`) as string,
    suggestion: expect.stringContaining("Do not run it again") as string,
  });
  expect(countRuns(caller)).toBe(1);
});

test("a deadline that ended with its daemon is told", async () => {
  const caller = lost({
    listCommands: () => ({ commands: [command()], truncated: false }),
    waitFor: () => ({ outcome: "timeout", sequence: 9 }),
    readCommand: () => ({ command: command(), output: EXCERPT }),
  });
  const asked = { terminal_id: ID, command: LINE, yield_time_ms: 250, timeout_ms: 5000 };
  expect(await runTool.use(asked, caller.use)).toMatchObject({
    still_running: true,
    next: expect.stringContaining("timeout_ms does not end this command any more"),
  });
});
