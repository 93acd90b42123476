// What is different about programs without a terminal, for every driver that starts them on pipes.
import type { PtyDriver } from "../pty.ts";
import { RAW } from "./tools.ts";

const NO_TERMINAL = "there is no terminal: no line discipline, no foreground, no size, no /dev/tty";
const NAMES_TERMINAL = "the case knows terminals only; pipe-pty.test.ts has the same for pipes";

/** Pipes change no byte by nature, so scripts need not ask for it. */
export const rawByNature = (driver: PtyDriver): PtyDriver => ({
  ...driver,
  spawn: (launch) =>
    driver.spawn({ ...launch, args: launch.args.map((arg) => arg.replace(`${RAW}; `, "")) }),
});

/** The cases that pipes cannot pass, each with its reason. */
export const PIPES_CANNOT: ReadonlyMap<string, string> = new Map([
  ["the terminal erases whole UTF-8 characters", NO_TERMINAL],
  ["echo and line mode can be read while a secret is asked for", NO_TERMINAL],
  ["the program leads a session that has the terminal and is in the foreground", NO_TERMINAL],
  ["a signal reaches the job in the foreground and not the shell", NO_TERMINAL],
  ["a program that lets go of its terminal goes on, and may come back to it", NO_TERMINAL],
  ["a program sees its size and is told when it changes", NO_TERMINAL],
  ["what escaped every tie but holds the terminal is named and left alone", NAMES_TERMINAL],
  [
    "a program has no descriptor but its terminal, also after others were closed in between",
    NAMES_TERMINAL,
  ],
]);
