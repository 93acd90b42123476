import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readByWchan } from "../../packages/host/src/command/blocked-read.ts";
import { readStat } from "../../packages/host/src/command/proc-files.ts";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { AT_PROMPT, Console, type ShellName } from "./console.ts";

test.for<readonly [ShellName, boolean]>([
  ["bash", true],
  ["zsh", true],
  ["fish", true],
  ["dash", false],
])("%s at its prompt is idle", async ([shell, lineEditor], { skip }) => {
  requireProgram({ skip }, shell);
  await using console = await Console.start(shell);
  const seen = await console.until({ shellIdle: { lineEditor }, jobRuns: false });
  expect(seen.leader).toMatchObject({ name: shell, isShell: true });
});

const GETPASS = `python3 -c 'import getpass; getpass.getpass()'`;
const RAW_PASSWORD = `node -e 'process.stdin.setRawMode(true).resume(); process.stdout.write("? Password: **")'`;

/** Lines for bash, the program each needs, and what is seen once it waits. */
const WAITS: readonly (readonly [line: string, program: string, seen: object])[] = [
  ["read x", "bash", { kind: "line", jobRuns: false, shellIdle: { lineEditor: false } }],
  ["read -s x", "bash", { kind: "secret", jobRuns: false }],
  ["read -n1 x", "bash", { kind: "key", jobRuns: false, shellIdle: { lineEditor: false } }],
  ["cat", "cat", { kind: "line", jobRuns: true }],
  ["cat | sort", "sort", { kind: "line", jobRuns: true }],
  ["(echo a; cat) | cat", "cat", { kind: "line", jobRuns: true }],
  ["sleep 1000 & cat", "cat", { kind: "line", jobRuns: true }],
  [GETPASS, "python3", { kind: "secret", jobRuns: true }],
  [`python3 -c 'input("name? ")'`, "python3", { kind: "line", jobRuns: true }],
  ["less /etc/passwd", "less", { kind: "key", jobRuns: true }],
  ["seq 1000 | less", "less", { kind: "key", jobRuns: true }],
  ["vim -u NONE -N", "vim", { kind: "key", jobRuns: true }],
  ["top", "top", { kind: "key", jobRuns: true }],
  [`node -e 'process.stdin.on("data", () => {})'`, "node", { kind: "line", jobRuns: true }],
  [RAW_PASSWORD, "node", { kind: "secret", jobRuns: true }],
  ["bash --norc", "bash", { kind: "line", lineEditor: true, jobRuns: true }],
  ["zsh -f", "zsh", { kind: "line", lineEditor: true, jobRuns: true }],
  ["python3 -q", "python3", { kind: "line", lineEditor: true, jobRuns: true }],
  ["node", "node", { kind: "line", lineEditor: true, jobRuns: true }],
  ["sqlite3", "sqlite3", { kind: "line", lineEditor: true, jobRuns: true }],
  ["gdb -q", "gdb", { kind: "line", lineEditor: true, jobRuns: true }],
];

test.for(WAITS)("S-L9: `%s` waits for input", async ([line, program, seen], { skip }) => {
  requireProgram({ skip }, program);
  await using console = await Console.start("bash");
  await console.until(AT_PROMPT);
  await console.type(`${line}\r`);
  await expect(console.until(seen)).resolves.toMatchObject(seen);
});

/** What the process that leads the foreground group is and does. */
async function readJob({ pty }: Console) {
  const { foregroundProcessGroup = 0 } = await pty.state();
  return foregroundProcessGroup === pty.leader.pid ? undefined : readStat(foregroundProcessGroup);
}

describe("nobody is waited for", () => {
  test.for([
    ["sleep 1000", "sleep", "sleep"],
    ["sleep 1000 | cat", "cat", "sleep"],
    ["stty -echo; sleep 1000", "stty", "sleep"],
    ["cat & sleep 1000", "cat", "sleep"],
    // Node gives its first thread a name of its own.
    ["node -e 'setInterval(() => {}, 1e6)'", "node", "MainThread"],
  ] as const)("by `%s`", async ([line, program, name], { skip }) => {
    requireProgram({ skip }, program);
    await using console = await Console.start("bash");
    await console.until(AT_PROMPT);
    await console.type(`${line}\r`);
    // Once it sleeps it will not begin to read.
    await expect.poll(() => readJob(console)).toMatchObject({ name, state: "S" });
    const seen = [await console.look(), await console.look(), await console.look()];
    expect(seen).toMatchObject([{ jobRuns: true }, { jobRuns: true }, { jobRuns: true }]);
    expect(seen.map(({ kind }) => kind)).toEqual([undefined, undefined, undefined]);
  });

  test("by a shell that is busy", async () => {
    await using console = await Console.start("bash");
    await console.until(AT_PROMPT);
    await console.type("echo be''gun; while :; do :; done\r");
    await console.untilText("begun");
    const { kind, shellIdle } = await console.look();
    expect([kind, shellIdle]).toEqual([undefined, undefined]);
  });
});

test.for([
  ["cat", "reads"],
  ["less /etc/passwd", "reads"],
  ["vim -u NONE -N", "polls"],
  ["sleep 1000", "no"],
] as const)(
  "where system calls may not be seen, `%s` still %s",
  async ([line, reading], { skip }) => {
    requireProgram({ skip }, line.split(" ")[0] ?? "");
    await using console = await Console.start("bash");
    await console.until(AT_PROMPT);
    await console.type(`${line}\r`);
    await console.until({ jobRuns: true });
    const number = readStat(console.pty.leader.pid)?.terminalNumber;
    const terminalPaths = ["/dev/tty", `/dev/pts/${number}`];
    await expect
      .poll(async () => {
        const pid = (await readJob(console))?.pid ?? 0;
        return readByWchan({ pid, threadId: pid, terminalPaths });
      })
      .toBe(reading);
  },
);

test("a shell that becomes another program, even the same one, has another image", async () => {
  await using console = await Console.start("bash");
  const before = await console.until(AT_PROMPT);
  await console.type("echo do''ne\r");
  await console.untilText("done");
  const after = await console.until(AT_PROMPT);
  expect(after.leader).toEqual(before.leader);
  await console.type("exec bash --noprofile --norc\r");
  await expect.poll(async () => (await console.look()).leader?.image).not.toBe(after.leader?.image);
  expect(await console.until(AT_PROMPT)).toMatchObject({ leader: { name: "bash", isShell: true } });
});

test("a program that was launched without a shell waits all the same, and is no shell", async () => {
  await using console = await Console.start(["/bin/cat"]);
  const seen = await console.until({ kind: "line" });
  expect(seen).toMatchObject({ jobRuns: false, leader: { name: "cat", isShell: false } });
  expect(seen.shellIdle).toBeUndefined();
});

test("a shell that runs a line and asks is not at its prompt", async () => {
  await using console = await Console.start(["/bin/bash", "-c", "read answer; echo got $answer"]);
  const seen = await console.until({ kind: "line" });
  expect(seen).toMatchObject({ jobRuns: false, leader: { name: "bash", isShell: false } });
  expect(seen.shellIdle).toBeUndefined();
});

test("looking keeps no descriptor", async () => {
  await using console = await Console.start("bash");
  await console.until(AT_PROMPT);
  const before = readdirSync("/proc/self/fd").length;
  for (let turn = 0; turn < 50; turn++) await console.look();
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
});
