import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { defaultLaunchPolicy, type Terminal } from "@nacre/host";
import type { TerminalInput } from "@nacre/contracts";
import { ownDirectory } from "../support/own-directory.ts";
import { openHost } from "../support/open-host.ts";
import { OWNER } from "../support/terminal-input.ts";
import { outputOf, type, untilText } from "../support/terminal-output.ts";

const own = ownDirectory();
const base = own.path;
const root = join(base, "root");
const home = join(root, "home");
const outside = join(base, "outside");
for (const directory of [home, outside, join(root, "..foo")]) {
  await mkdir(directory, { recursive: true });
}
await symlink(outside, join(root, "link"));
await writeFile(join(root, "file"), "");

const SECRETS = {
  TERMINAL_PASSWORD: "s1",
  ANTHROPIC_API_KEY: "s2",
  AUTOMAKER_API_KEY: "s3",
  NACRE_TOKEN: "s4",
  AWS_SECRET_ACCESS_KEY: "s5",
  DATABASE_URL: "s6",
  PORT: "s7",
  DATA_DIR: "s8",
  NODE_PATH: "s9",
};
const policy = defaultLaunchPolicy("1.2.3");
const host = await openHost({
  policy: {
    ...policy,
    home,
    allowedRoots: [root],
    probe: {
      ...policy.probe,
      env: { PATH: process.env["PATH"], HOME: home, SHELL: "/bin/sh", ...SECRETS },
    },
  },
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  own[Symbol.dispose]();
});

const lineIn = (workingDirectory: string, line: string): TerminalInput => ({
  owner: OWNER,
  workingDirectory,
  command: "/bin/sh",
  args: ["-c", line],
});

/** What a terminal wrote until its program ended. */
async function wholeOutput(terminal: Terminal): Promise<string> {
  await terminal.ended;
  return outputOf(terminal);
}

test.each([
  ["white space around it", ` ${root} `],
  ["two slashes in front", `/${root}`],
  ["a step back in it", `${root}/home/..`],
])("a working directory with %s is understood", async (_, workingDirectory) => {
  const terminal = await host.createTerminal(lineIn(workingDirectory, "pwd -P"));
  expect(await wholeOutput(terminal)).toBe(`${root}\r\n`);
  expect(terminal.row.workingDirectory).toBe(root);
});

test.each([
  ["does not exist", join(root, "nope"), "cwd_not_found"],
  ["is a file", join(root, "file"), "cwd_not_directory"],
  ["lies outside the allowed roots", outside, "cwd_forbidden"],
  ["leads outside by a link", join(root, "link"), "cwd_forbidden"],
  ["leads outside by steps back", `${root}/../outside`, "cwd_forbidden"],
  ["has a NUL in it", `${root}\0`, "invalid_argument"],
])("a working directory that %s is refused", async (_, workingDirectory, code) => {
  const created = host.createTerminal(lineIn(workingDirectory, "pwd"));
  await expect(created).rejects.toMatchObject({ code, field: "workingDirectory" });
});

test("a directory whose name begins with two dots is inside", async () => {
  const terminal = await host.createTerminal(lineIn(join(root, "..foo"), "pwd -P"));
  expect(await wholeOutput(terminal)).toBe(`${join(root, "..foo")}\r\n`);
});

test("who asks for the home directory instead gets it, and everybody can see that", async () => {
  const asked = { ...lineIn(join(root, "nope"), "pwd -P"), cwdFallback: "home" } as const;
  const created = await host.Terminal.create(asked);
  expect(created).toMatchObject({ workingDirectory: home, cwdFallback: true });
  expect(created.recordingEntries[0]).toMatchObject({ type: "header", cwdFallback: true });
  expect(await wholeOutput(host.registry.get(created.id))).toBe(`${home}\r\n`);
});

test("secrets of the host are not in the environment of its terminals, not even when all is inherited", async () => {
  for (const inheritEnv of ["safe", "all"] as const) {
    const terminal = await host.createTerminal({ ...lineIn(root, "env"), inheritEnv });
    const names = (await wholeOutput(terminal)).split("\r\n").map((line) => line.split("=")[0]);
    expect(names.filter((name) => name !== undefined && name in SECRETS)).toEqual([]);
    expect(names).toContain("PATH");
  }
});

test("programs find a terminal of today in their environment", async () => {
  const terminal = await host.createTerminal(lineIn(root, "env"));
  const lines = (await wholeOutput(terminal)).split("\r\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      "TERM=xterm-256color",
      "COLORTERM=truecolor",
      "TERM_PROGRAM=nacre",
      "LANG=C.UTF-8",
      "LC_ALL=C.UTF-8",
      `NACRE_TERMINAL_ID=${terminal.id}`,
    ]),
  );
});

test("a caller's own variables count, but not those that change which code runs", async () => {
  const asked = { ...lineIn(root, "echo $FOO-$TERM"), env: { FOO: "1", TERM: "dumb" } };
  expect(await wholeOutput(await host.createTerminal(asked))).toBe("1-dumb\r\n");
  const preloading = { ...lineIn(root, "true"), env: { LD_PRELOAD: "/tmp/x.so" } };
  await expect(host.createTerminal(preloading)).rejects.toMatchObject({
    code: "environment_refused",
    field: "env.LD_PRELOAD",
  });
});

test("sh is not given arguments that only other shells know", async () => {
  const terminal = await host.createTerminal({
    owner: OWNER,
    workingDirectory: root,
    shell: "/bin/sh",
  });
  await type(terminal, "echo $((6*7))\r");
  await untilText(terminal, "42");
  expect(terminal.isRunning).toBe(true);
});

test("bash starts as a login shell", async () => {
  const terminal = await host.createTerminal({
    owner: OWNER,
    workingDirectory: root,
    shell: "bash",
  });
  await type(terminal, "shopt -q login_shell && echo login-$((6*7))\r");
  await untilText(terminal, "login-42");
  expect(terminal.isRunning).toBe(true);
});

test("a shell that is not on the list is refused, and so is a shell together with a command", async () => {
  const asked = { owner: OWNER, workingDirectory: root };
  await expect(host.createTerminal({ ...asked, shell: "/bin/cat" })).rejects.toMatchObject({
    code: "shell_not_allowed",
  });
  const both = host.createTerminal({ ...asked, shell: "sh", command: "/bin/cat" });
  await expect(both).rejects.toMatchObject({ code: "invalid_argument", field: "shell" });
});

test("a terminal is 80 by 24 unless somebody says otherwise", async () => {
  const usual = await host.createTerminal(lineIn(root, "stty size"));
  expect(await wholeOutput(usual)).toBe("24 80\r\n");
  const size = { cols: 100, rows: 30 };
  const asked = await host.createTerminal({ ...lineIn(root, "stty size"), size });
  expect(await wholeOutput(asked)).toBe("30 100\r\n");
});
