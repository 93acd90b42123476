// What an agent can rely on beside the answers: who serves, what a touched file means, where errors are.
import { existsSync, utimesSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endKeeper } from "../../packages/host/src/keeper/testing/end-keeper.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { FileAgent } from "../support/file-agent.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { openServed } from "./served-directory.ts";

test("S-L15: a directory has blanks around it as everywhere else", async () => {
  await using served = await openServed();
  const { agent } = served;
  const ran = await agent.ask("exec", { command: "pwd", cwd: " /tmp " });
  expect(ran.result.text).toBe("/tmp\n");
  const created = await agent.ask("create", { session_id: "s", cwd: " /tmp ", shell: "sh" });
  expect(created.result.cwd).toBe("/tmp");
});

test("S-L15: of a long output exec keeps the beginning and the end, where the errors are", async () => {
  await using served = await openServed();
  const { agent } = served;
  // One pipe for both: between two the order is that in which they are read.
  const command = "exec 2>&1; echo first; seq 100000; echo the-error >&2; exit 3";
  const { result } = await agent.ask("exec", { command, max_output_bytes: 4096, cwd: "/tmp" });
  expect(result).toMatchObject({ exit_code: 3, truncated: true, total_bytes: 588_911 });
  expect(result.text).toMatch(/^first\n1\n2\n/);
  expect(result.text).toMatch(/\n100000\nthe-error\n$/);
  const [head, tail] = [result.data_b64, result.tail_b64].map((text) =>
    Buffer.from(text, "base64"),
  );
  expect([head?.byteLength, tail?.byteLength]).toEqual([1638, 2458]);
  expect(result.omitted_bytes).toBe(588_911 - 4096);
  expect(result.text).toContain(`[${result.omitted_bytes} of 588911 bytes left out here`);
  const { terminal_id, cursor } = result;
  const next = await agent.ask("read", { terminal_id, cursor, max_bytes: 1_048_576 });
  const rest = Buffer.from(next.result.data_b64, "base64");
  expect(Buffer.concat([head ?? rest, rest]).subarray(-tail!.byteLength)).toEqual(tail);
  expect(rest.byteLength).toBe(588_911 - 1638);
});

test("S-L15: a file that is only touched is not done again, and the same text written again is", async () => {
  await using served = await openServed();
  using place = ownDirectory();
  const { agent } = served;
  const text = JSON.stringify({ command: "echo x >> log; wc -l < log", cwd: place.path });
  const file = agent.path("control", "exec.json");
  const counted = (count: string) =>
    agent.result(({ operation, result }) => operation === "exec" && result?.text === `${count}\n`);
  await writeFile(file, text);
  await counted("1");
  for (let n = 0; n < 3; n++) {
    const now = new Date();
    utimesSync(file, now, now);
    await agent.ask("exec", { command: "true", cwd: "/tmp" });
    await writeFile(file, text);
    // Each write is one more, and no touch is.
    await counted(String(n + 2));
  }
  const now = new Date();
  utimesSync(file, now, now);
  await agent.ask("resume");
  await served.restart();
  await agent.ask("resume");
  const last = await agent.ask("exec", { command: "wc -l < log", cwd: place.path });
  expect(last.result.text.trim()).toBe("4");
});

test("S-L15: status.json says until when the directory is served, and that it is not any more", async () => {
  const leaseMs = 300;
  await using served = await openServed({ limits: { leaseMs } });
  const { agent } = served;
  const { service: first } = agent.read("status.json");
  expect(first).toMatchObject({ state: "serving", pid: process.pid });
  expect(first.expires_at_ms - first.started_at_ms).toBeGreaterThanOrEqual(leaseMs);
  await agent.until("status.json", ({ service }) => service.expires_at_ms > first.expires_at_ms);
  const { directory } = agent;
  await served[Symbol.asyncDispose]();
  // The test's own directory is gone with it; what it said last is told by a daemon below.
  expect(existsSync(directory)).toBe(false);
});

test(
  "S-L15: a daemon that ends says so in status.json, and the lease of one that is killed runs out",
  { timeout: 120_000 },
  async () => {
    using place = ownDirectory();
    const home = join(place.path, "home");
    await using _keeper = { [Symbol.asyncDispose]: () => endKeeper(home) };
    const start = () =>
      DaemonProcess.start({ home, flags: ["--agent-directory", "ada"], leavesKeeper: true });
    const agent = new FileAgent(join(home, "agents/ada/terminal"));
    const { pid } = await (async () => {
      await using daemon = await start();
      await daemon.end("SIGTERM");
      return daemon;
    })();
    expect(agent.read("status.json").service).toMatchObject({ state: "stopped", pid });
    await using daemon = await start();
    expect(agent.read("status.json").service).toMatchObject({ state: "serving", pid: daemon.pid });
    await daemon.end("SIGKILL");
    const { service } = agent.read("status.json");
    expect(service).toMatchObject({ state: "serving", pid: daemon.pid });
    expect(service.expires_at_ms).toBeLessThanOrEqual(Date.now() + 30_000);
  },
);
