// A daemon is killed, and restarted, while a program writes and people type; whoever is connected goes on by itself.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NacreClient } from "@nacre/client";
import { decodeBytes, NacreError, type TerminalId } from "@nacre/contracts";
import { findDaemon } from "@nacre/host";
import { expect, test, vi } from "vitest";
import { readProcess } from "../../packages/host/src/pty/process-table.ts";
import { DaemonProcess, runCli } from "../support/daemon-process.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { ToolUser } from "../support/tool-user.ts";
import { AhpFollower } from "./ahp-follower.ts";

const MAX_MS = 240_000;
vi.setConfig({ testTimeout: MAX_MS });

const env = { NACRE_ALLOW_ROOT: "true" };

/** Daemons of one home, one after the other, at the same address. */
class Daemons implements AsyncDisposable {
  readonly home: string;
  readonly #stack: AsyncDisposableStack;
  #daemon: DaemonProcess;

  private constructor(home: string, daemon: DaemonProcess, stack: AsyncDisposableStack) {
    this.home = home;
    this.#daemon = daemon;
    this.#stack = stack;
  }

  static async start(): Promise<Daemons> {
    await using stack = new AsyncDisposableStack();
    const { path: home } = stack.use(ownDirectory());
    // Whatever is left of it, daemon or keeper, ends with the test.
    stack.defer(async () => void (await runCli(["stop"], { home, env })));
    const daemon = await DaemonProcess.start({ home, env });
    return new Daemons(home, daemon, stack.move());
  }

  get url(): string {
    return this.#daemon.url;
  }

  get token(): string {
    return this.#daemon.token;
  }

  client(): NacreClient {
    return this.#daemon.client();
  }

  /** Kills the daemon and starts another at its port. */
  async kill(): Promise<void> {
    const { port, token } = this.#daemon;
    // It may be one that a verb started.
    const { pid } = findDaemon(join(this.home, "run")) ?? assert.fail("no daemon runs");
    process.kill(pid, "SIGKILL");
    const isGone = (): boolean => readProcess(pid)?.isDead ?? true;
    await vi.waitUntil(isGone, { timeout: MAX_MS });
    const next = DaemonProcess.start({ home: this.home, env, port });
    // Whoever asked meanwhile may have started one, which is at the same address.
    this.#daemon = await next.catch(async (error: unknown) => {
      if (!String(error).includes("already serves")) throw error;
      await vi.waitUntil(() => findDaemon(join(this.home, "run")), { timeout: MAX_MS });
      return this.#daemon;
    });
    const found = findDaemon(join(this.home, "run")) ?? assert.fail("no daemon runs");
    assert.deepEqual([found.endpoints.http.port, found.token], [port, token]);
  }

  /** Restarts the daemon by the verb that people use. */
  async restart(): Promise<void> {
    const { code, error } = await runCli(["restart"], { home: this.home, env });
    assert.deepEqual([code, error], [0, ""]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Writes numbered lines until it is told to stop, and everything into a file as well. */
const COUNTING =
  "stty raw -echo -opost; i=0; while [ ! -e stop ]; do i=$((i+1)); echo line $i | tee -a truth; sleep 0.005; done; exit 4";

const startIn = async (client: NacreClient, home: string, script: string): Promise<TerminalId> =>
  (
    await client.createTerminal({
      command: "/bin/sh",
      args: ["-c", script],
      workingDirectory: home,
    })
  ).id;

/** Everything a terminal shows to a client that opened it at its beginning. */
async function opened(client: NacreClient, id: TerminalId): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const message of client.openTerminal(id, { cursor: 0 })) {
    // From the beginning on there is nothing that would have to be drawn anew.
    if (message.kind === "snapshot") throw new Error("it was shown anew");
    if (message.kind === "bytes") parts.push(message.bytes);
  }
  return Buffer.concat(parts).toString();
}

/** Everything that the feed of a terminal brings, whose entries follow each other. */
async function fed(client: NacreClient, id: TerminalId): Promise<string> {
  const parts: Uint8Array[] = [];
  let last = 0;
  for await (const message of client.feed(id, { after: 0 })) {
    if (message.kind !== "entry") continue;
    const { entry } = message;
    expect(entry.sequence).toBe(++last);
    if (entry.type === "output") parts.push(decodeBytes({ ...entry, data: entry.data ?? "" }));
  }
  return Buffer.concat(parts).toString();
}

test("every client has every byte once and in order, over kill -9 and `nacre restart`", async () => {
  await using daemons = await Daemons.start();
  const { home, url, token } = daemons;
  const client = daemons.client();
  const id = await startIn(client, home, COUNTING);
  const seen = opened(client, id);
  const told = fed(client, id);
  for (const one of [seen, told]) one.catch(() => undefined);
  await using ahp = new AhpFollower({ url, token }, id);
  const { user } = await ToolUser.overStdio(home, { env });
  await using agent = user;
  await agent.get("terminal_wait", { terminal_id: id, until: "text", text: "line 20\n" });

  const lineCount = (): number => readFileSync(join(home, "truth"), "utf8").split("\n").length;
  for (const [index, interrupt] of [() => daemons.kill(), () => daemons.restart()].entries()) {
    await expect.poll(() => ahp.beginnings, { timeout: MAX_MS }).toBe(index + 1);
    await interrupt();
    const before = lineCount();
    await expect.poll(lineCount, { timeout: MAX_MS }).toBeGreaterThan(before + 20);
    expect(await agent.get("terminal_list")).toMatchObject({
      terminals: [expect.objectContaining({ terminal_id: id, state: "active" })],
    });
  }
  writeFileSync(join(home, "stop"), "");
  await ahp.ended;
  const truth = readFileSync(join(home, "truth"), "utf8");
  expect(await seen).toBe(truth);
  expect(await told).toBe(truth);
  // A daemon that does not know a client shows it everything anew; what follows belongs to that.
  expect(ahp.beginnings).toBe(3);
  const lines = ahp.text.split("\n").filter((line) => /^line \d+$/.test(line));
  expect(lines.length).toBeGreaterThan(20);
  expect(truth.endsWith(`${lines.join("\n")}\n`)).toBe(true);
  expect((await client.readTerminal({ id })).exitCode).toBe(4);
});

test("what is typed while the daemon is killed or restarted gets there once, or its sender is told", async () => {
  await using daemons = await Daemons.start();
  const { home } = daemons;
  const client = daemons.client();
  const id = await startIn(client, home, "stty -echo; exec cat > typed");
  await client.waitFor({ id, until: [{ kind: "inputNeeded" }], after: 0 });
  const [acknowledged, doubtful]: [number[], number[]] = [[], []];
  let isOver = false;
  let number = 0;
  const typing = (async () => {
    for (number = 1; !isOver; number++) {
      try {
        await client.sendInput({ id, data: `${number}\n` });
        acknowledged.push(number);
      } catch (error) {
        // Nothing is asked again by itself, so that nothing can be typed twice.
        if (error instanceof NacreError) assert.equal(error.code, "unavailable");
        doubtful.push(number);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  })();
  const acknowledgedAfter = async (count: number): Promise<void> => {
    const goal = acknowledged.length + count;
    await expect.poll(() => acknowledged.length, { timeout: MAX_MS }).toBeGreaterThan(goal);
  };
  await acknowledgedAfter(20);
  await daemons.restart();
  await acknowledgedAfter(20);
  await daemons.kill();
  await acknowledgedAfter(20);
  isOver = true;
  await typing;
  const arrived = (): number[] =>
    readFileSync(join(home, "typed"), "utf8").split("\n").filter(Boolean).map(Number);
  await expect.poll(() => arrived().at(-1), { timeout: MAX_MS }).toBe(acknowledged.at(-1));
  expect(arrived()).toEqual(arrived().toSorted((one, other) => one - other));
  expect(new Set(arrived()).size).toBe(arrived().length);
  const isKnown = new Set(arrived());
  expect(acknowledged.filter((one) => !isKnown.has(one))).toEqual([]);
  expect(doubtful.length).toBeGreaterThan(0);
});

test("terminal_run whose daemon is killed is answered with the exit code and all output, and runs once", async () => {
  await using daemons = await Daemons.start();
  const { home } = daemons;
  const client = daemons.client();
  const { id } = await client.createTerminal({ shell: "bash", workingDirectory: home });
  const { user } = await ToolUser.overStdio(home, { env });
  await using agent = user;
  const line =
    "echo begun | tee -a begun; until [ -e go ]; do sleep 0.05; done; echo over; (exit 5)";
  const answer = agent.get("terminal_run", {
    terminal_id: id,
    command: line,
    yield_time_ms: 30_000,
  });
  const begun = (): string => readFileSync(join(home, "begun"), { encoding: "utf8", flag: "a+" });
  await expect.poll(begun, { timeout: MAX_MS }).toBe("begun\n");
  await daemons.kill();
  writeFileSync(join(home, "go"), "");
  const { command_id: commandId, ...told } = await answer;
  // On a very busy machine the next daemon is up when the time is over; the command is known all the same.
  const end = { terminal_id: id, until: "command_end", command_id: commandId };
  const isLate = told["still_running"] === true;
  const exitCode = isLate
    ? (await agent.get("terminal_wait", end))["command_exit_code"]
    : told["exit_code"];
  expect(exitCode).toBe(5);
  expect(isLate || told["output"] === "begun\nover\n").toBe(true);
  expect(begun()).toBe("begun\n");
});

test.for(["run", "run --json"])(
  "%s whose daemon is killed names the terminal, and does not ask to run the line again",
  async (way) => {
    await using daemons = await Daemons.start();
    const { home } = daemons;
    const client = daemons.client();
    const { id } = await client.createTerminal({ shell: "bash", workingDirectory: home });
    const line = "echo begun >> begun; sleep 1000";
    const answer = runCli([...way.split(" "), id, "--", line], { home, env }).then(JSON.stringify);
    const begun = (): string => readFileSync(join(home, "begun"), { encoding: "utf8", flag: "a+" });
    await expect.poll(begun, { timeout: MAX_MS }).toBe("begun\n");
    await daemons.kill();
    const told = await answer;
    expect(told).toContain(`the command may go on in ${id}`);
    expect(told).toContain("Do not run it again");
    expect(told).toContain(`nacre logs ${id}`);
    expect(told).not.toMatch(/try again/i);
    expect(begun()).toBe("begun\n");
  },
);
