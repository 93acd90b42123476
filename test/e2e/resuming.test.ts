// Commands that are running when the daemon is killed: whoever waits for one gets its own exit code, and it runs once.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectLocal } from "@nacre/client/node";
import { NacreError, type TerminalId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { DaemonProcess, runCli } from "../support/daemon-process.ts";
import { environmentOf, makeHome, NACRE } from "../support/nacre-program.ts";
import { ToolUser } from "../support/tool-user.ts";

const PATIENCE = { timeout: 60_000 };
const TEST_MS = 120_000;

/** A home with a daemon, and a command that goes on when it is told to. */
async function setUp() {
  const stack = new AsyncDisposableStack();
  const { path: home } = stack.use(makeHome());
  const env = environmentOf(home);
  // Whoever came after the first daemon ends with the test.
  stack.defer(async () => void (await runCli(["stop"], { home, env })));
  const daemon = stack.use(await DaemonProcess.start({ home, env, leavesKeeper: true }));
  const [log, go] = [join(home, "log"), join(home, "go")];
  const command = `echo begun >>${log}; while [ ! -e ${go} ]; do sleep 0.05; done; echo over; exit 7`;
  const begun = (): string => (existsSync(log) ? readFileSync(log, "utf8") : "");
  return {
    home,
    env,
    daemon,
    command,
    /** Kills the daemon once the command runs, and lets the command go on. */
    async kill(): Promise<void> {
      await expect.poll(begun, PATIENCE).toBe("begun\n");
      await daemon.end("SIGKILL");
      writeFileSync(go, "");
    },
    begun,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface Ended {
  readonly code: unknown;
  readonly out: string;
  readonly error: string;
}

async function ended(child: ChildProcess): Promise<Ended> {
  let [out, error] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (error += text));
  const [code] = await once(child, "close");
  return { code, out, error };
}

test(
  "S-F8: terminal_exec of nacre mcp has the result of a command whose daemon was killed, which ran once",
  async () => {
    await using one = await setUp();
    const { user } = await ToolUser.overStdio(one.home);
    await using agent = user;
    const running = agent.get("terminal_exec", { command: one.command, yield_time_ms: 30_000 });
    await one.kill();
    expect(await running).toMatchObject({ still_running: false, exit_code: 7, output: "over\n" });
    expect(one.begun()).toBe("begun\n");
  },
  TEST_MS,
);

test.each([[[]], [["--json"]]])(
  "S-F8: nacre exec %j passes on the exit code and the output of a command whose daemon was killed",
  async (flags) => {
    await using one = await setUp();
    const words = ["exec", ...flags, "--", "sh", "-c", one.command];
    const child = spawn(process.execPath, [...NACRE, ...words], { env: one.env, cwd: one.home });
    const running = ended(child);
    await one.kill();
    const { code, out, error } = await running;
    expect({ code, error }).toEqual({ code: 7, error: "" });
    expect(flags.length === 0 ? out : JSON.parse(out).result.output).toBe("over\n");
    expect(one.begun()).toBe("begun\n");
  },
  TEST_MS,
);

test(
  "S-F8: nacre exec goes on over an orderly restart",
  async () => {
    await using one = await setUp();
    const words = ["exec", "--", "sh", "-c", one.command];
    const child = spawn(process.execPath, [...NACRE, ...words], { env: one.env, cwd: one.home });
    const running = ended(child);
    await expect.poll(one.begun, PATIENCE).toBe("begun\n");
    expect(await runCli(["restart"], one)).toMatchObject({ code: 0 });
    writeFileSync(join(one.home, "go"), "");
    expect(await running).toEqual({ code: 7, out: "over\n", error: "" });
    expect(one.begun()).toBe("begun\n");
  },
  TEST_MS,
);

test(
  "S-F8: a client is told under which id the command runs on, and has its result by asking again",
  async () => {
    await using one = await setUp();
    using client = await connectLocal({ home: one.home });
    const input = { commandLine: one.command };
    const failing = client.execCommand(input).catch((error: unknown) => error);
    await one.kill();
    const error = await failing;
    expect(error).toBeInstanceOf(NacreError);
    const { code, message, suggestion, details } = error as NacreError;
    const id = details?.["terminalId"] as TerminalId;
    expect(code).toBe("unavailable");
    expect(message).toContain(`may run on as ${id}`);
    expect(suggestion).toMatch(/^Do not run it again/);
    await using _next = await DaemonProcess.start({ home: one.home, env: one.env });
    using other = await connectLocal({ home: one.home });
    for (const _time of ["first", "second"]) {
      expect(await other.execCommand({ ...input, id })).toMatchObject({
        terminalId: id,
        exitCode: 7,
        timedOut: false,
        output: { text: "over\r\n" },
      });
    }
    await expect(other.execCommand({ commandLine: "true", id })).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(one.begun()).toBe("begun\n");
  },
  TEST_MS,
);
