import { expect, test } from "vitest";
import type { TtyReadState } from "./blocked-read.ts";
import {
  decideAwaitedInput,
  readForegroundState,
  type TtyModes,
  type AwaitedInputKind,
} from "./foreground-state.ts";

const LINES = { canonical: true, echo: true };
const HIDDEN_LINES = { canonical: true, echo: false };
const KEYS = { canonical: false, echo: false };
const ASKED = { ...KEYS, lastLine: "? Password: ****" };

const EDITOR = { ...KEYS, bracketedPaste: true };

test.for<readonly [TtyReadState, TtyModes, AwaitedInputKind | undefined]>([
  ["reads", { ...EDITOR, lastLine: "user@host:~$ " }, "line"],
  ["polls", { ...EDITOR, lastLine: "half a li" }, "line"],
  ["polls", { ...EDITOR, alternateScreen: true }, "key"],
  ["polls", { ...EDITOR, echo: true }, "key"],
  ["unknown", EDITOR, undefined],
  ["no", EDITOR, undefined],
  ["reads", { ...EDITOR, lastLine: "Password: " }, "secret"],
  ["polls", { ...KEYS, lastLine: "> " }, "line"],
  ["polls", { ...KEYS, lastLine: ">>> " }, "line"],
  ["reads", { ...KEYS, lastLine: "sqlite> " }, "line"],
  ["reads", { ...KEYS, lastLine: "(gdb) " }, "line"],
  ["reads", { ...KEYS, lastLine: "root@host ~# " }, "line"],
  ["reads", { ...KEYS, lastLine: "notes.txt lines 1-40/80 50%" }, "key"],
  ["reads", { ...KEYS, lastLine: "In [12]: " }, "line"],
  ["reads", { ...KEYS, lastLine: "Overwrite? [y/N] " }, "key"],
  ["reads", { ...KEYS, lastLine: ":" }, "key"],
  ["reads", { ...KEYS, lastLine: "--More--(12%)" }, "key"],
  ["reads", { ...KEYS, lastLine: "Press any key to continue" }, "key"],
])("S-L9: a program that %s on a terminal set to %j waits for %s", ([reading, modes, kind]) => {
  expect(decideAwaitedInput(reading, modes)).toBe(kind);
});

test.for<readonly [TtyReadState, TtyModes, AwaitedInputKind | undefined]>([
  ["reads", LINES, "line"],
  ["polls", LINES, undefined],
  ["unknown", LINES, undefined],
  ["no", LINES, undefined],
  ["reads", HIDDEN_LINES, "secret"],
  ["polls", HIDDEN_LINES, "secret"],
  ["unknown", HIDDEN_LINES, "secret"],
  ["no", HIDDEN_LINES, undefined],
  ["no", { ...HIDDEN_LINES, lastLine: "Password: " }, "secret"],
  ["no", { ...HIDDEN_LINES, lastLine: "working: " }, undefined],
  ["no", { ...LINES, lastLine: "Password: " }, undefined],
  ["reads", KEYS, "key"],
  ["polls", KEYS, "key"],
  ["unknown", KEYS, undefined],
  ["no", KEYS, undefined],
  ["reads", ASKED, "secret"],
  ["unknown", ASKED, "secret"],
  ["no", ASKED, undefined],
  ["no", { ...KEYS, lastLine: `Passphrase: ${"_".repeat(40)} <OK>` }, "secret"],
  ["reads", { ...KEYS, lastLine: "(END)" }, "key"],
  ["reads", { ...LINES, lastLine: "Password: " }, "line"],
  ["reads", {}, undefined],
])("a program that %s on a terminal set to %j waits for %s", ([reading, modes, kind]) => {
  expect(decideAwaitedInput(reading, modes)).toBe(kind);
});

test("a terminal whose programs cannot be seen says only what its settings say", async () => {
  expect(await readForegroundState({ leaderPid: 0, ...HIDDEN_LINES })).toEqual({
    kind: "secret",
    jobRuns: false,
  });
  const gone = { leaderPid: 2 ** 30, foregroundProcessGroup: 2 ** 30 };
  expect(await readForegroundState({ ...gone, ...KEYS })).toEqual({ jobRuns: false });
});
