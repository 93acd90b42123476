// What programs are told before they are ended, over every wire that can close a terminal.
import { join } from "node:path";
import type { NacreClient } from "@nacre/client";
import { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AhpClient, ROOT } from "../support/ahp-client.ts";
import { type CleanUp, ROLES, startCleaner } from "../support/cleaner.ts";
import { DaemonProcess, runCli } from "../support/daemon-process.ts";
import { FileAgent } from "../support/file-agent.ts";
import { environmentOf, makeHome } from "../support/nacre-program.ts";
import { ToolUser } from "../support/tool-user.ts";

const AGENT = "closer";

let daemon: DaemonProcess;
let home: string;
let client: NacreClient;
let files: FileAgent;
const parts = new AsyncDisposableStack();

beforeAll(async () => {
  ({ path: home } = parts.use(makeHome()));
  const env = { ...environmentOf(home), SHELL: "/bin/bash", NACRE_AGENT_DIRECTORIES: AGENT };
  daemon = parts.use(await DaemonProcess.start({ home, env }));
  client = daemon.client();
  files = new FileAgent(join(home, "agents", AGENT, "terminal"));
});
afterAll(() => parts.disposeAsync());

const typeInto = (id: TerminalId) => async (data: string) => {
  await client.sendInput({ id, data });
};

/** Creates a terminal as most wires know it. */
async function create(
  input: object,
): Promise<{ id: TerminalId; type: ReturnType<typeof typeInto> }> {
  const { id } = await client.createTerminal({ ...input, workingDirectory: home });
  return { id, type: typeInto(id) };
}

const sessions = new Map<TerminalId, string>();

/** Creates a session of control files; a leader is what its shell is replaced with. */
async function createByFiles(input: object) {
  const session_id = `s${sessions.size}`;
  const { result } = await files.ask("create", { session_id, cwd: home });
  const id = TerminalId.parse(result.terminal_id);
  sessions.set(id, session_id);
  const { command, args = [] } = input as { command?: string; args?: readonly string[] };
  const type = typeInto(id);
  await client.waitFor({ id, until: [{ kind: "prompt" }] });
  if (command !== undefined) await type(`exec ${[command, ...args].join(" ")}\r`);
  return { id, type };
}

async function rest(path: string): Promise<void> {
  const headers = { authorization: `Bearer ${daemon.token}` };
  const answer = await fetch(`${daemon.url}/api${path}`, { method: "DELETE", headers });
  expect(await answer.text()).not.toContain("error");
}

async function cli(...args: readonly string[]): Promise<void> {
  expect(await runCli(args, { home, env: environmentOf(home) })).toMatchObject({ code: 0 });
}

interface Way {
  readonly create: typeof create;
  close(id: TerminalId, force: boolean): Promise<unknown>;
}

const query = (force: boolean): string => (force ? "?force=true" : "");
const forced = (force: boolean): object => (force ? { force } : {});

const WAYS: Readonly<Record<string, Way>> = {
  "REST DELETE of a terminal": {
    create,
    close: (id, force) => rest(`/terminals/${id}${query(force)}`),
  },
  "REST DELETE of a recording": {
    create,
    close: (id, force) => rest(`/recordings/${id}${query(force)}`),
  },
  "the terminal service": {
    create,
    close: (id, force) => rest(`/terminal/sessions/${id}${query(force)}`),
  },
  "the Agent Host Protocol": {
    create,
    close: async (id, force) => {
      using ahp = await AhpClient.open(`ws://127.0.0.1:${daemon.port}/?tkn=${daemon.token}`);
      await ahp.initialize();
      const channel = id.replace("terminal:", "ahp-terminal:/");
      await (force
        ? ahp.request("x-nacre/disposeTerminal", { channel, input: { force } })
        : ahp.disposeTerminal(channel));
    },
  },
  MCP: {
    create,
    close: async (terminal_id, force) => {
      await using agent = await ToolUser.overHttp(daemon.url, daemon.token);
      await agent.get("terminal_close", { terminal_id, ...forced(force) });
    },
  },
  "control files": {
    create: createByFiles,
    close: async (id, force) => {
      const closing = { session_id: sessions.get(id), ...forced(force) };
      expect(await files.ask("close", closing)).toMatchObject({ ok: true });
    },
  },
  "nacre rm": {
    create,
    close: (id, force) => cli("rm", "--force", ...(force ? ["--now"] : []), id),
  },
};

async function startAll(way: Way): Promise<{ id: TerminalId; cleaner: CleanUp }[]> {
  const started = [];
  for (const role of ROLES) {
    const { cleaner, started: terminal } = await startCleaner(home, role, way.create);
    started.push({ id: terminal.id, cleaner });
  }
  return started;
}

const saidBy = (all: readonly { readonly cleaner: CleanUp }[]) =>
  all.map(({ cleaner }) => cleaner.said());

test.each(Object.keys(WAYS))(
  "S-F1: %s lets a leader, a job in the foreground and one in the background clean up",
  async (name) => {
    const way = WAYS[name]!;
    const started = await startAll(way);
    for (const { id } of started) await way.close(id, false);
    expect(saidBy(started)).toEqual(ROLES.map(() => "up cleaned"));
  },
);

test.each(Object.keys(WAYS))("S-F1: %s by force waits for nobody", async (name) => {
  const way = WAYS[name]!;
  const started = await startAll(way);
  for (const { id } of started) await way.close(id, true);
  expect(saidBy(started)).toEqual(ROLES.map(() => "up"));
});

test("S-L7: every wire can say that an owner is gone, and the programs clean up", async () => {
  const of = (entityId: string) => ({ owner: { entityName: "Task", entityId } });
  const start = (entityId: string) =>
    startCleaner(home, "leader", (input) => create({ ...input, ...of(entityId) }));
  const [rested, asked, ran] = await Promise.all(["1", "2", "3"].map(start));
  await rest("/terminals?owner.entityName=Task&owner.entityId=1");
  using ahp = await AhpClient.open(`ws://127.0.0.1:${daemon.port}/?tkn=${daemon.token}`);
  await ahp.initialize();
  expect(await ahp.request("x-nacre/disposeTerminals", { channel: ROOT, input: of("2") })).toEqual({
    disposed: [asked?.started.id],
    kept: [],
  });
  await cli("rm", "--owner", "Task:3");
  const saids = [rested, asked, ran].map((one) => one?.cleaner.said());
  expect(saids).toEqual(saids.map(() => "up cleaned"));
});

// The last one: it ends the daemon.
test("S-F1: nacre stop lets all programs clean up", async () => {
  const started = await startAll(WAYS["nacre rm"]!);
  await cli("stop");
  expect(saidBy(started)).toEqual(ROLES.map(() => "up cleaned"));
});
