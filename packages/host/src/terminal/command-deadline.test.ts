import { type Command, CommandId, TerminalId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { CommandDeadline } from "./run-command.ts";

const COMMAND: Command = {
  commandId: CommandId.parse("cmd_1"),
  terminalId: TerminalId.parse("terminal:t1"),
  commandLine: "make",
  quality: "exact",
  firstSequence: 1,
  startedAt: "2026-01-01T00:00:00.000Z",
};

/** Another command of the same line. */
const OTHER: Command = { ...COMMAND, commandId: CommandId.parse("cmd_2"), firstSequence: 5 };

/** A shell whose command ends with the first signal. */
class Shell {
  /** The commands that began since the line was handed over. */
  readonly commands: Command[] = [];
  running: Command | undefined;
  readonly signalled = Promise.withResolvers<string>();
  readonly parts = {
    running: () => this.running,
    findOwn: () => Promise.resolve(this.commands[0]),
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

  begin(command: Command): void {
    this.commands.push(command);
    this.running = command;
  }

  deadline(): CommandDeadline {
    return new CommandDeadline(this.parts, 1);
  }
}

/** Resolves when a deadline that begins now has passed, and so have those before it. */
async function passed(): Promise<void> {
  const other = new Shell();
  other.begin(COMMAND);
  other.deadline();
  await other.signalled.promise;
}

test("a command that begins after its deadline is ended, too", async () => {
  const shell = new Shell();
  const deadline = shell.deadline();
  await passed();
  expect(deadline.isPassed).toBe(false);
  shell.begin(COMMAND);
  expect(await shell.signalled.promise).toBe("SIGINT");
  expect(deadline.isPassed).toBe(true);
});

test("the deadline of a line that the shell did not get is nobody else's", async () => {
  const shell = new Shell();
  const cancelled = shell.deadline();
  cancelled.cancel();
  shell.begin(COMMAND);
  await passed();
  expect(cancelled.isPassed).toBe(false);
  expect(shell.running).toBe(COMMAND);
});

test.each([true, false])(
  "a command that ended in time is followed by others of the same line, whether it was seen to begin: %s",
  async (isSeen) => {
    const shell = new Shell();
    const deadline = shell.deadline();
    shell.begin(COMMAND);
    if (isSeen) deadline.begin(COMMAND.commandId);
    shell.begin(OTHER);
    await passed();
    expect(deadline.isPassed).toBe(false);
    expect(shell.running).toBe(OTHER);
  },
);
