import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NacreError, type Size } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runToEnd } from "./contract/pty-fixtures.ts";
import { defaultLaunchPolicy, type LaunchRequest, prepareLaunch } from "./launch.ts";
import { linuxPty } from "./linux-pty.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "nacre-launch-"));
  mkdirSync(join(root, "bin"));
  symlinkSync("/etc", join(root, "link"));
  const script = (name: string, text: string, mode = 0o755) => {
    writeFileSync(join(root, "bin", name), text);
    chmodSync(join(root, "bin", name), mode);
  };
  script("hello", "#!/bin/sh\necho hello from $0\n");
  script("locked", "#!/bin/sh\n", 0o644);
  script("orphan", "#!/no/such/interpreter -x\n");
});
afterAll(() => rmSync(root, { recursive: true }));

const policy = () => ({ ...defaultLaunchPolicy("1.2.3"), allowedRoots: [root], home: root });
const prepare = (request: LaunchRequest) => prepareLaunch(request, policy());
const size = (cols: unknown, rows: unknown) => ({ size: { cols, rows } as Size });

describe("bad input is a typed error that names the field, and nothing is started", () => {
  test.each<[string, () => LaunchRequest, string, string]>([
    ["an unknown shell", () => ({ shell: "/bin/evil" }), "shell_not_allowed", "shell"],
    ["a missing directory", () => ({ cwd: join(root, "nope") }), "cwd_not_found", "cwd"],
    ["a link out of the root", () => ({ cwd: join(root, "link") }), "cwd_forbidden", "cwd"],
    ["a directory outside", () => ({ cwd: "/etc" }), "cwd_forbidden", "cwd"],
    ["0 columns", () => size(0, 24), "invalid_argument", "size.cols"],
    ["a billion columns", () => size(1e9, 24), "invalid_argument", "size.cols"],
    ["columns as text", () => size("80", 24), "invalid_argument", "size.cols"],
    ["half a row", () => size(80, 0.5), "invalid_argument", "size.rows"],
    ["a missing program", () => ({ command: "no-such-program" }), "command_not_found", "command"],
    ["a missing path", () => ({ command: "/no/such" }), "command_not_found", "command"],
    ["a directory as program", () => ({ command: root }), "command_not_executable", "command"],
    ["a program without x", () => ({ command: "bin/locked" }), "command_not_executable", "command"],
    [
      "a script without its interpreter",
      () => ({ command: "bin/orphan" }),
      "command_not_executable",
      "command",
    ],
    ["an empty command", () => ({ command: "" }), "invalid_argument", "command"],
    ["NUL in the command", () => ({ command: "a\0b" }), "invalid_argument", "command"],
    [
      "NUL in an argument",
      () => ({ command: "ls", args: ["a", "b\0"] }),
      "invalid_argument",
      "args.1",
    ],
    [
      "an argument too long",
      () => ({ command: "ls", args: ["x".repeat(200_000)] }),
      "invalid_argument",
      "args.0",
    ],
    ["an unknown field", () => ({ comand: "ls" }) as LaunchRequest, "invalid_argument", "comand"],
    [
      "arguments that are no list",
      () => ({ command: "ls", args: "-l" }) as unknown as LaunchRequest,
      "invalid_argument",
      "args",
    ],
    [
      "an unknown way to inherit",
      () => ({ inheritEnv: "some" }) as unknown as LaunchRequest,
      "invalid_argument",
      "inheritEnv",
    ],
    ["command and shell", () => ({ command: "ls", shell: "bash" }), "invalid_argument", "shell"],
    [
      "a protected variable",
      () => ({ env: { LD_PRELOAD: "x" } }),
      "environment_refused",
      "env.LD_PRELOAD",
    ],
  ])("%s", async (_name, request, code, field) => {
    const childrenBefore = children();
    const descriptorsBefore = readdirSync("/proc/self/fd").length;
    const attempt = prepare(request()).then((launch) => linuxPty.spawn(launch));
    const error: unknown = await attempt.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NacreError);
    expect(error).toMatchObject({ code, field, suggestion: expect.stringMatching(/\w/) as string });
    expect(children()).toEqual(childrenBefore);
    expect(readdirSync("/proc/self/fd")).toHaveLength(descriptorsBefore);
  });
});

function children(): string {
  return execFileSync("ps", ["--no-headers", "-o", "args", "--ppid", String(process.pid)], {
    encoding: "utf8",
  }).replace(/^ps .*\n/m, "");
}

test("a shell of 80×24 in the home directory is what one gets without asking", async () => {
  const launch = await prepare({});
  expect(launch).toMatchObject({ size: { cols: 80, rows: 24 }, cwd: root });
  expect(launch.file).toMatch(/sh$/);
  const { text } = await runToEnd(linuxPty, { ...launch, file: "/bin/stty", args: ["size"] });
  expect(text).toBe("24 80\r\n");
});

test("a program may be named by path, relative to the working directory, or found on the PATH", async () => {
  const hello = join(root, "bin/hello");
  expect((await prepare({ command: "bin/hello" })).file).toBe(hello);
  const env = { PATH: `/nowhere:${join(root, "bin")}` };
  expect((await prepare({ command: "hello", env })).file).toBe(hello);
  const { text } = await runToEnd(linuxPty, await prepare({ command: hello }));
  expect(text).toBe(`hello from ${hello}\r\n`);
});

test("arguments arrive as they are, whatever they contain", async () => {
  const args = ["a b", "$(id)", "; rm -rf /", "`id`", "'\"", "*", "", "é\n\t", "--login", "-c"];
  const script = 'for a in "$@"; do printf "<%s>" "$a"; done';
  const launch = await prepare({ command: "sh", args: ["-c", script, "sh", ...args] });
  const { text } = await runToEnd(linuxPty, launch);
  const expected = args.map((arg) => `<${arg}>`).join("");
  expect(Buffer.from(text, "latin1").toString()).toBe(expected.replaceAll("\n", "\r\n"));
});

test("a program has exactly the environment it was launched with, and the marker of its terminal", async () => {
  const launch = await prepare({ command: "env", env: { FOO: "1" } });
  const { text } = await runToEnd(linuxPty, launch);
  const names = text
    .trim()
    .split("\r\n")
    .map((line) => line.split("=")[0]);
  expect(new Set(names)).toEqual(new Set([...Object.keys(launch.env), "NACRE_PTY_ID"]));
  expect(text).toContain("FOO=1\r\n");
  expect(text).toContain(`PWD=${root}\r\n`);
  expect(text).toContain("TERM_PROGRAM_VERSION=1.2.3\r\n");
});

test("the arguments of the caller replace those of the shell", async () => {
  const launch = await prepare({ shell: "bash", args: ["-c", "echo mine"] });
  expect((await runToEnd(linuxPty, launch)).text).toBe("mine\r\n");
});
