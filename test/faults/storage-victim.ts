// A daemon whose disk is full for a while, with somebody at every wire; says what each was told, and what could still be done.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeBytes, type StorageInfo } from "@nacre/contracts";
import { AhpClient, ROOT } from "../support/ahp-client.ts";
import type { RootState } from "../support/ahp-mirror.ts";
import { runCli } from "../support/daemon-process.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { ToolUser } from "../support/tool-user.ts";
import { waitUntil } from "../support/wait-until.ts";
import { FaultyDaemon } from "./faulty-daemon.ts";

const MIB = 1024 * 1024;
const DISK_BYTES = 64 * MIB;
const FLOOR_BYTES = 8 * MIB;

/** What is removed later to make room. */
const OLD_BYTES = 12 * MIB;

using disk = new SmallDisk(DISK_BYTES);
// What programs write elsewhere is not on the disk that is full.
using elsewhere = new SmallDisk(4 * MIB);

const home = join(disk.directory, "home");
mkdirSync(home, { mode: 0o700 });
const interrupted = join(elsewhere.directory, "interrupted");

await using daemon = await FaultyDaemon.start({
  home,
  env: { NACRE_FLOOR_BYTES: String(FLOOR_BYTES), NACRE_AGENT_DIRECTORIES: "helper" },
});
const { client, url, token } = daemon;
const storage = async () => (await client.readHost({})).storage;
const summary = async (id: string) =>
  (await client.listTerminals({})).terminals.find((one) => one.id === id);
const statusFile = (): { storage?: StorageInfo } =>
  JSON.parse(readFileSync(join(home, "agents/helper/terminal/status.json"), "utf8"));
const cli = async (...args: string[]) =>
  await runCli(args, { home, env: { NACRE_ALLOW_ROOT: "true" } });
const firstState = (await storage()).state;

const old = await daemon.run(`yes old | head -c ${OLD_BYTES}`);
await client.waitFor({ id: old, until: [{ kind: "exit" }], after: 0, timeoutMs: 60_000 });
const ticking = await daemon.run(
  `trap 'touch ${interrupted}; echo bye; exit 7' INT; echo before; while :; do echo tick; sleep 0.05; done`,
);
await client.waitFor({ id: ticking, until: [{ kind: "text", text: "tick" }], after: 0 });
const { id: shell } = await client.createTerminal({
  shell: "/bin/bash",
  workingDirectory: elsewhere.directory,
  env: { HOME: elsewhere.directory },
});
await client.waitFor({ id: shell, until: [{ kind: "prompt" }], after: 0, timeoutMs: 20_000 });

const told: string[] = [];
const leaving = new AbortController();
const connected = Promise.withResolvers<void>();
const hearing = (async () => {
  const channels = ["host:*.storage.changed"];
  const handleConnection = (): void => connected.resolve();
  for await (const message of client.events({
    channels,
    signal: leaving.signal,
    handleConnection,
  })) {
    if (message.type === "event") told.push((message.event.payload as StorageInfo).state);
  }
})();
await connected.promise;
using ahp = await AhpClient.open(`${url.replace("http", "ws")}/?tkn=${token}`);
await ahp.initialize({ initialSubscriptions: [ROOT] });

disk.fill(FLOOR_BYTES - MIB);
const full = await waitUntil(async () => {
  const now = await storage();
  return now.state === "full" && now;
});
const blocked = await waitUntil(async () => (await summary(ticking))?.recordingBlocked);
const ahpTold = await waitUntil(() =>
  (ahp.mirrors.find(ROOT) as RootState).terminals?.find(({ _meta }) => _meta !== undefined),
);
const fileTold = await waitUntil(() => statusFile().storage);
const metrics = {
  ok: await daemon.metric("nacre_recorder_ok"),
  full: await daemon.metric('nacre_storage_state{state="full"}'),
};
const waited = await client.waitFor({
  id: ticking,
  until: [{ kind: "text", text: "never" }],
  timeoutMs: 60_000,
});
const page = await client.readOutput({ id: ticking });
const ran = await client.runCommand({ id: shell, commandLine: "echo hidden" });
// The shell is back at its prompt, which nobody could record: it does not ask for anything.
const asks = await client.waitFor({
  id: shell,
  until: [{ kind: "inputNeeded" }],
  timeoutMs: 60_000,
});
await using tools = await ToolUser.overHttp(url, token);
const mcp = {
  run: await tools.use("terminal_run", { terminal_id: shell, command: "echo again" }),
  wait: await tools.get("terminal_wait", { terminal_id: ticking, until: "exit" }),
  read: await tools.get("terminal_read", { terminal_id: ticking }),
  write: await tools.get("terminal_write", { terminal_id: ticking, text: "x" }),
  list: await tools.get("terminal_list"),
  exec: await tools.use("terminal_exec", { command: "true" }),
};
const [status, ls, inbox, doctor, run, wait] = await Promise.all([
  cli("status"),
  cli("ls"),
  cli("inbox"),
  cli("doctor"),
  cli("run", shell, "--", "echo", "more"),
  cli("wait", ticking, "--exit"),
]);
const said = { status, ls, inbox, doctor, run, wait };

await client.sendInput({ id: ticking, data: "\u0003" });
await waitUntil(() => existsSync(interrupted));
const removed = await cli("rm", "-f", old);
await waitUntil(async () => (await storage()).state !== "full");
await client.waitFor({ id: ticking, until: [{ kind: "exit" }], after: 0, timeoutMs: 60_000 });
const last = await waitUntil(async () => {
  const now = await summary(ticking);
  return now?.state === "exited" && now;
});
const after = await client.readOutput({ id: ticking, maxBytes: MIB });
await waitUntil(() => statusFile().storage?.state !== "full");
await waitUntil(() => told.length >= 2);
leaving.abort();
await hearing.catch(() => undefined);
const isUntold = (await summary(ticking))?.recordingBlocked === undefined;

const messageOf = (answer: { readonly value: object; readonly text: string }): string =>
  `${JSON.stringify(answer.value)} ${answer.text}`;

process.stdout.write(
  JSON.stringify({
    firstState,
    full,
    blocked,
    ahpTold: ahpTold._meta,
    fileTold,
    metrics,
    told,
    waited: waited.outcome,
    page: page.recordingBlocked?.reason,
    ran: { outcome: ran.outcome, blocked: ran.recordingBlocked?.reason },
    asks: { outcome: asks.outcome, inputNeeded: asks.inputNeeded ?? null },
    mcp: {
      ...mcp,
      run: messageOf(mcp.run),
      exec: messageOf(mcp.exec),
      list: JSON.stringify(mcp.list),
    },
    said,
    removed: removed.code,
    last: { exitCode: last.exitCode },
    ending: Buffer.from(decodeBytes(after)).toString().trimEnd().slice(-3),
    isUntold,
    verdict: (await client.verifyRecording({ id: ticking })).ok,
  }),
);
