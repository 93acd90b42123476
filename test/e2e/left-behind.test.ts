// What a command by itself leaves in the background, and what is told of a shell that ends, over every wire.
import { join } from "node:path";
import type { NacreClient } from "@nacre/client";
import { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DaemonProcess, runCli } from "../support/daemon-process.ts";
import { FileAgent } from "../support/file-agent.ts";
import { isAlive } from "../support/is-alive.ts";
import { environmentOf, makeHome } from "../support/nacre-program.ts";
import { ToolUser } from "../support/tool-user.ts";

const AGENT = "leaver";

let daemon: DaemonProcess;
let home: string;
let client: NacreClient;
let agent: ToolUser;
let files: FileAgent;
const parts = new AsyncDisposableStack();

beforeAll(async () => {
  ({ path: home } = parts.use(makeHome()));
  const env = { ...environmentOf(home), SHELL: "/bin/bash", NACRE_AGENT_DIRECTORIES: AGENT };
  daemon = parts.use(await DaemonProcess.start({ home, env }));
  client = daemon.client();
  agent = parts.use(await ToolUser.overHttp(daemon.url, daemon.token));
  files = new FileAgent(join(home, "agents", AGENT, "terminal"));
});
afterAll(() => parts.disposeAsync());

/** Leaves a process behind that nothing but its mark ties to the terminal, and says its number once it has left the session. */
const LEAVES =
  'f=$(mktemp); setsid sh -c "echo \\$\\$ >$f; exec sleep 4321" >/dev/null 2>&1 & until [ -s $f ]; do sleep 0.01; done; cat $f; rm $f';

const cli = (...args: readonly string[]) => runCli(args, { home, env: environmentOf(home) });

interface Left {
  readonly pid: number;
  /** What was told of it, as text. */
  readonly told: string;
  readonly id: string;
}

const WIRES: Readonly<Record<string, (keep: boolean) => Promise<Left>>> = {
  REST: async (keep) => {
    const ran = await client.execCommand({ commandLine: LEAVES, keepBackground: keep });
    expect(ran.background).toMatchObject({ count: 1, kept: keep });
    const told = JSON.stringify(ran.background);
    return { pid: Number(ran.output.text), told, id: ran.terminalId };
  },
  MCP: async (keep) => {
    const ran = await agent.get("terminal_exec", { command: LEAVES, keep_background: keep });
    const { output, background, terminal_id } = ran;
    return { pid: Number(output), told: String(background), id: String(terminal_id) };
  },
  "control files": async (keep) => {
    const payload = { command: LEAVES, keep_background: keep };
    const { result } = await files.ask("exec", payload);
    const told = JSON.stringify(result.background);
    return { pid: Number(result.text), told, id: result.terminal_id };
  },
  "nacre exec": async (keep) => {
    const flags = keep ? ["--keep-background"] : [];
    const words = ["--json", "exec", ...flags, "--", "sh", "-c", LEAVES];
    const { result } = JSON.parse((await cli(...words)).out);
    const told = JSON.stringify(result.background);
    return { pid: Number(result.output), told, id: result.terminalId };
  },
};

test.each(Object.keys(WIRES))(
  "S-F9: %s says what a command left and that it was ended",
  async (wire) => {
    const { pid, told } = await WIRES[wire]!(false);
    expect(told).toContain("sleep");
    expect(told).toContain(String(pid));
    expect(isAlive(pid)).toBe(false);
  },
);

test.each(Object.keys(WIRES))(
  "S-F9: %s keeps what a command left when asked to, until it is closed",
  async (wire) => {
    const { pid, told, id } = await WIRES[wire]!(true);
    expect(told).toContain(String(pid));
    expect(isAlive(pid)).toBe(true);
    const { terminals } = await client.listTerminals({});
    expect(terminals.map((one) => String(one.id))).toContain(id);
    await client.disposeTerminal({ id: TerminalId.parse(id) });
    expect(isAlive(pid)).toBe(false);
  },
);

test("S-F9: a terminal that was kept goes when what was left has ended by itself", async () => {
  const commandLine = LEAVES.replace("4321", "1");
  const { terminalId, background } = await client.execCommand({
    commandLine,
    keepBackground: true,
  });
  expect(background).toMatchObject({ count: 1, kept: true, processes: [{ name: "sleep" }] });
  const listed = async () => (await client.listTerminals({})).terminals.map(({ id }) => id);
  await expect.poll(listed, { timeout: 30_000 }).not.toContain(terminalId);
});

test("S-F9: a command that leaves nothing says nothing of it, and its terminal goes", async () => {
  const ran = await client.execCommand({ commandLine: "true & wait", keepBackground: true });
  expect(ran).not.toHaveProperty("background");
  const { terminals } = await client.listTerminals({});
  expect(terminals.map(({ id }) => id)).not.toContain(ran.terminalId);
});

test("S-F9: nacre exec says so beside the output", async () => {
  const { out, error } = await cli("exec", "--", "sh", "-c", LEAVES);
  expect(error).toContain(`left in the background, was ended: sleep (${out.trim()})`);
});

const shell = async (): Promise<TerminalId> => (await client.createTerminal({ shell: "bash" })).id;

test.each([
  ["exit 3", { exitCode: 3 }, 3],
  ["kill -9 $BASHPID", { exitCode: null, signal: "SIGKILL" }, 137],
])(
  "S-L8: a shell that ends by %j is told of with its own code",
  async (commandLine, ending, code) => {
    const id = await shell();
    expect(await client.runCommand({ id, commandLine })).toMatchObject({
      outcome: "exited",
      shellExit: ending,
    });
    const terminal_id = await shell();
    expect(await agent.get("terminal_run", { terminal_id, command: commandLine })).toMatchObject({
      still_running: false,
      exit_code: ending.exitCode,
      next: expect.stringContaining("The shell itself ended"),
      ...("signal" in ending ? { signal: ending.signal } : {}),
    });
    const { session_id } = await files.ask("create", { shell: "bash" });
    const { result } = await files.ask("exec", { session_id, command: commandLine });
    expect(result).toMatchObject({ eof: true, exit_code: ending.exitCode });
    const ran = await cli("run", await shell(), "--", commandLine);
    expect(ran).toMatchObject({ code, error: "nacre: the shell of this terminal has ended\n" });
  },
);

test("S-L8: a command that ends in a shell that goes on says nothing of the shell", async () => {
  const id = await shell();
  const ran = await client.runCommand({ id, commandLine: "(exit 3)" });
  expect(ran).toMatchObject({ outcome: "ended", command: { exitCode: 3 } });
  expect(ran).not.toHaveProperty("shellExit");
});
