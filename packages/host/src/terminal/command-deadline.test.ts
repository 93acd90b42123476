import { type Command, CommandId, TerminalId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { CommandDeadline } from "./command-deadline.ts";

const COMMAND: Command = {
  commandId: CommandId.parse("cmd_1"),
  terminalId: TerminalId.parse("terminal:t1"),
  commandLine: "make",
  quality: "exact",
  firstSequence: 1,
  startedAt: "2026-01-01T00:00:00.000Z",
};

/** A shell whose command ends with the first signal. */
class Shell {
  running: Command | undefined;
  readonly signalled = Promise.withResolvers<string>();
  readonly parts = {
    running: () => this.running,
    pty: {
      leader: { pid: 1, startTicks: 0 },
      state: () => Promise.resolve({ size: { cols: 80, rows: 24 }, queuedInputBytes: 0 }),
      signal: (signal: string) => {
        this.running = undefined;
        this.signalled.resolve(signal);
        return Promise.resolve();
      },
    },
  };

  deadline(afterMs: number): CommandDeadline {
    return new CommandDeadline(this.parts, COMMAND.commandLine, afterMs);
  }
}

/** Resolves when a deadline of so many milliseconds that begins now has passed. */
async function passed(afterMs: number): Promise<void> {
  const other = new Shell();
  other.running = COMMAND;
  other.deadline(afterMs);
  await other.signalled.promise;
}

test("a command that begins after its deadline is ended, too", async () => {
  const shell = new Shell();
  const deadline = shell.deadline(1);
  await passed(1);
  expect(deadline.isPassed).toBe(false);
  shell.running = COMMAND;
  expect(await shell.signalled.promise).toBe("SIGINT");
  expect(deadline.isPassed).toBe(true);
});

test("the deadline of a line that the shell did not begin is nobody else's", async () => {
  const shell = new Shell();
  const refused = shell.deadline(1);
  refused.refuse();
  shell.running = COMMAND;
  await passed(1);
  expect(refused.isPassed).toBe(false);
  expect(shell.running).toBe(COMMAND);
});

test("a command that ended in time is followed by others", async () => {
  const shell = new Shell();
  const deadline = shell.deadline(1);
  deadline.begin(COMMAND.commandId);
  shell.running = { ...COMMAND, commandId: CommandId.parse("cmd_2") };
  await passed(1);
  expect(deadline.isPassed).toBe(false);
});
