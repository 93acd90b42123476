import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { promptMarkers, ShellTerminal } from "./shell-terminal.ts";

const HOME = {
  shinit: "own=loaded; PS1='own> ' PS2='more> '; set -u",
};
const ENV = { ENV: "$HOME/shinit" };

const { path: directory, ...own } = ownDirectory();
beforeAll(() => {
  symlinkSync("/usr/bin/dash", join(directory, "dash"));
  symlinkSync("/usr/bin/bash", join(directory, "sh"));
});
afterAll(() => own[Symbol.dispose]());

const SHELLS = [
  ["dash", "dash"],
  ["bash called sh", "sh"],
] as const;

test.for(SHELLS)("%s marks its prompts and the status before them", async ([, file], context) => {
  requireProgram(context, file);
  const setup = { shell: join(directory, file), home: HOME, env: ENV };
  await using terminal = await ShellTerminal.start(setup);
  expect(terminal.integration.quality).toBe("estimated");
  expect(terminal.codeFile).toBe("");
  expect(terminal.markers.map(({ text }) => text)).toEqual(promptMarkers(terminal.home));
  for (const [line, exitCode] of [
    ["echo $own", 0],
    ["(exit 7)", 7],
    ["sh -c 'kill -9 $$'", 137],
  ] as const) {
    const seen = await terminal.run(line);
    expect(seen.markers).toEqual([`D;${exitCode}`, ...promptMarkers(terminal.home)]);
    expect(seen.areGood).toBe(true);
  }
  expect(terminal.output).toContain("loaded\r\n");
  const loop = await terminal.run("for i in 1 2\rdo echo $i\rdone");
  expect(loop.markers).toEqual(["F", "G", "F", "G", "D;0", ...promptMarkers(terminal.home)]);
  expect(loop.text).toContain("more> ");
});

test.for(SHELLS)("%s keeps its codes, also with set -a", async ([, file], context) => {
  requireProgram(context, file);
  const setup = { shell: join(directory, file), home: HOME, env: ENV };
  await using terminal = await ShellTerminal.start(setup);
  const plain = await terminal.run("env");
  expect(plain.text).toContain("ENV=$HOME/shinit\r\n");
  expect(plain.text).not.toMatch(/__nacre|NACRE_SHELL/);
  const before = terminal.markers.length;
  const from = terminal.output.length;
  await terminal.type("set -a; own=1\renv\rset +a\r");
  await terminal.untilText("own=1\r\n", from + 20);
  while (terminal.markers.slice(before).filter(({ text }) => text === "B").length < 3) {
    await terminal.untilMarker("B", terminal.markers.length);
  }
  expect(terminal.markers.every(({ isGood }) => isGood)).toBe(true);
  const exported = terminal.output.slice(from).match(/__n(?:acre_|v)\w*(?==)/g) ?? [];
  expect([...new Set(exported)].toSorted((a, b) => a.localeCompare(b))).toEqual([
    "__nacre_h0",
    "__nacre_h1",
    "__nacre_n",
    "__nv0",
    "__nv1",
    "__nv2",
    "__nv3",
  ]);
  // The state of the hash would give away the key.
  expect(terminal.output.slice(from).match(/__nv\d=(?!0\r\n)/g)).toBeNull();
  expect((await terminal.run("true")).areGood).toBe(true);
});

test("a shell that inherits a prompt with markers is silent", async (context) => {
  requireProgram(context, "dash");
  const setup = { shell: join(directory, "dash"), home: HOME, env: ENV };
  await using terminal = await ShellTerminal.start(setup);
  const before = terminal.markers.length;
  const from = terminal.output.length;
  await terminal.type("export PS1; ENV= dash\r");
  await terminal.untilText("own> ", from);
  await terminal.type("echo nes''ted\r");
  await terminal.untilText("nested\r\nown> ", from);
  expect(terminal.markers).toHaveLength(before);
});

test("a directory that cannot be told is not told", async (context) => {
  requireProgram(context, "dash");
  const setup = { shell: join(directory, "dash"), home: HOME, env: ENV };
  await using terminal = await ShellTerminal.start(setup);
  const seen = await terminal.run("mkdir 'a;b' && cd 'a;b'");
  expect(seen.markers).toEqual(["D;0", "P;Cwd=", "A", "B"]);
});
