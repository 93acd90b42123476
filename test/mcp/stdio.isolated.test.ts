// `nacre mcp` as a process: it starts what it needs, listens nowhere, and goes with its client.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@nacre/client";
import { expect, test } from "vitest";
import { environmentOf, makeHome, NACRE } from "../support/nacre-program.ts";
import { ToolUser } from "../support/tool-user.ts";
import { serve } from "./served.ts";

const BIN = join(import.meta.dirname, "../../bin/nacre");

/** The sockets that a process has open, by their numbers. */
const socketsOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });

/** The numbers of all sockets of this machine that listen. */
function listeningSockets(): ReadonlySet<string> {
  const rows = (file: string) => readFileSync(`/proc/net/${file}`, "utf8").split("\n").slice(1);
  const tcp = ["tcp", "tcp6"].flatMap(rows).map((row) => row.trim().split(/\s+/));
  const unix = rows("unix").map((row) => row.trim().split(/\s+/));
  return new Set([
    ...tcp.filter((fields) => fields[3] === "0A").map((fields) => fields[9] ?? ""),
    ...unix.filter((fields) => fields[3] === "00010000").map((fields) => fields[6] ?? ""),
  ]);
}

test("the daemon is started when it is needed, outlives who needed it, and is found by the next", async () => {
  await using home = makeHome();
  const env = environmentOf(home.path);
  try {
    const first = await ToolUser.overStdio(home.path);
    expect(await first.user.get("terminal_exec", { command: "echo hello" })).toMatchObject({
      output: "hello\n",
    });
    const listening = listeningSockets();
    expect(socketsOf(first.pid).filter((socket) => listening.has(socket))).toEqual([]);
    await first.user[Symbol.asyncDispose]();
    const second = await ToolUser.overStdio(home.path);
    await expect
      .poll(() => second.user.get("terminal_search", { text: "hello" }))
      .toMatchObject({ hits: [{ line: "hello" }] });
    // The next use of a tool finds another daemon, when this one has ended.
    execFileSync(process.execPath, [...NACRE, "stop"], { env });
    expect(await second.user.get("terminal_list")).toMatchObject({ terminals: [] });
    await second.user[Symbol.asyncDispose]();
  } finally {
    execFileSync(process.execPath, [...NACRE, "stop"], { env });
  }
}, 60_000);

test("with a token of the environment it is whom that stands for", async () => {
  await using served = await serve("http");
  const client = connect({ url: served.daemon.url, token: served.daemon.token });
  const { token } = await client.createToken({
    name: "helper",
    scope: "agent",
    owner: { entityName: "Agent", entityId: "helper" },
  });
  const { user } = await ToolUser.overStdio(served.home, { env: { NACRE_TOKEN: token } });
  await using agent = user;
  await served.agent.get("terminal_create", { command: "cat" });
  expect(await agent.get("terminal_list")).toMatchObject({ terminals: [] });
  const { terminal_id } = await agent.get("terminal_create", { command: "cat" });
  expect(await agent.get("terminal_list")).toMatchObject({ terminals: [{ terminal_id }] });
  const { records } = await client.listAudit({ limit: 1000 });
  expect(records).toContainEqual(
    expect.objectContaining({ action: "createTerminal", caller: "helper", scope: "agent" }),
  );
});

test.each([
  ["claude", "mcpServers"],
  ["vscode", "servers"],
  ["cursor", "mcpServers"],
])("the configuration of %s is printed as it wants it", (name, key) => {
  const text = execFileSync(BIN, ["mcp", "--print-config", name], { encoding: "utf8" });
  expect(JSON.parse(text)).toMatchObject({ [key]: { nacre: { command: "nacre", args: ["mcp"] } } });
});

test("so is that of codex, and of nobody else", () => {
  const text = execFileSync(BIN, ["mcp", "--print-config", "codex"], { encoding: "utf8" });
  expect(text).toMatch(/^\[mcp_servers\.nacre\]\ncommand = "nacre"\nargs = \["mcp"\]\n/);
  const { status, stderr } = spawnSync(BIN, ["mcp", "--print-config", "emacs"], {
    encoding: "utf8",
  });
  expect(status).toBe(2);
  expect(stderr).toContain("one of claude, codex, vscode, cursor");
});
