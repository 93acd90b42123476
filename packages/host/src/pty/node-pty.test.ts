import * as nodePty from "@lydell/node-pty";
import { describe, expect, test } from "vitest";
import { ECHO_LAUNCH } from "./contract/pty-fixtures.ts";
import {
  createNodePty,
  type NodePtyOptions,
  type NodePtyPackage,
  type NodePtyTerminal,
} from "./node-pty.ts";
import { ptyContract } from "./pty.contract.ts";

const BLOCKS =
  "the package's write blocks the whole process until the program reads, so no case may fill a terminal";
const CUT_OFF = "the package closes the terminal 200 ms after the exit: what was not read is lost";
const GROUP_ONLY = "the package gives no session: kill reaches the leader's process group only";
const NO_TERMIOS = "the package keeps the master to itself: no modes, no foreground process group";

/** What the package cannot do on Linux; linux-pty is the driver there, and passes all of it. */
ptyContract(
  createNodePty(nodePty),
  new Map([
    ["input beyond the limit is refused whole, and all that was accepted arrives", BLOCKS],
    ["input queued for a dead terminal reaches neither a new terminal nor a file", BLOCKS],
    ["input for a program that does not read is bounded, and others are served meanwhile", BLOCKS],
    [
      "the terminal erases whole UTF-8 characters",
      "the package sets IUTF8 only when it decodes the output itself, which loses bytes",
    ],
    [
      "spawning and ending many times leaves descriptors and threads as they were",
      "the package's thread per terminal ends only some time after it reported the exit",
    ],
    [
      "a program that lets go of its terminal goes on, and may come back to it",
      "the package closes the terminal as soon as no program has it open, which hangs up on the leader",
    ],
    ["echo and line mode can be read while a secret is asked for", NO_TERMIOS],
    ["the program leads a session that has the terminal and is in the foreground", NO_TERMIOS],
    ["a signal reaches the job in the foreground and not the shell", NO_TERMIOS],
    ["kill reaches children, background jobs, new sessions and double forks", GROUP_ONLY],
    ["what escaped every tie but holds the terminal is named and left alone", GROUP_ONLY],
    [
      "input queued for a dead terminal goes nowhere, also when an escaped program holds the terminal",
      BLOCKS,
    ],
    ["the tail of the output arrives although the program ended, reader stalled", CUT_OFF],
    [
      "a program that goes on writing after the exit is held back by a reader that does not read",
      CUT_OFF,
    ],
    ["the exit is reported although another program keeps the terminal open, and says so", CUT_OFF],
    ["disposing hands over what was written, and says what was not read to the end", CUT_OFF],
    [
      "a program has no descriptor but its terminal, also after others were closed in between",
      "the package leaks the master of every terminal into every program started later",
    ],
  ]),
);

/** Stands in for the package on Windows, which these tests do not run on. */
function fakePackage(failures: readonly string[]) {
  const left = [...failures];
  const asked: NodePtyOptions[] = [];
  const kills: unknown[][] = [];
  const fake: NodePtyPackage = {
    spawn(_file, _args, options): NodePtyTerminal {
      asked.push(options);
      const failure = left.shift();
      if (failure !== undefined) throw new Error(failure);
      let end: (exit: { exitCode: number }) => void = () => {};
      return {
        pid: 1234,
        onData: () => {},
        onExit: (listener) => (end = listener),
        write: () => {},
        resize: () => {},
        kill: (...args: unknown[]) => {
          kills.push(args);
          end({ exitCode: 1 });
        },
        pause: () => {},
        resume: () => {},
      };
    },
  };
  return { driver: createNodePty(fake, "win32"), asked, kills };
}

describe("on Windows", () => {
  test("ConPTY is used where it works", async () => {
    const { driver, asked } = fakePackage([]);
    await driver.spawn(ECHO_LAUNCH);
    expect(asked.map(({ useConpty }) => useConpty)).toEqual([undefined]);
  });

  test("winpty is tried once where ConPTY cannot attach", async () => {
    const { driver, asked } = fakePackage(["AttachConsole failed"]);
    await driver.spawn(ECHO_LAUNCH);
    expect(asked.map(({ useConpty }) => useConpty)).toEqual([undefined, false]);
  });

  test("a second failure, or another one, is a typed error", async () => {
    const twice = fakePackage(["AttachConsole failed", "AttachConsole failed"]);
    await expect(twice.driver.spawn(ECHO_LAUNCH)).rejects.toMatchObject({ code: "spawn_failed" });
    expect(twice.asked).toHaveLength(2);
    const other = fakePackage(["File not found"]);
    await expect(other.driver.spawn(ECHO_LAUNCH)).rejects.toMatchObject({ code: "spawn_failed" });
    expect(other.asked).toHaveLength(1);
  });

  test("kill gives no signal", async () => {
    const { driver, kills } = fakePackage([]);
    const pty = await driver.spawn(ECHO_LAUNCH);
    await pty.kill();
    expect(kills).toEqual([[]]);
  });
});
