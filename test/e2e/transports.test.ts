// The same story over every transport of one daemon: everybody is told the same, and the same is recorded.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { connect } from "@nacre/client";
import { connectLocal } from "@nacre/client/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { environmentOf, makeHome } from "../support/nacre-program.ts";
import { ToolUser } from "../support/tool-user.ts";
import { AhpUser } from "./ahp-user.ts";
import { ClientUser } from "./client-user.ts";
import { FilesUser } from "./files-user.ts";
import { McpUser } from "./mcp-user.ts";
import { type Recorded, readRecorded } from "./recorded.ts";
import { SocketUser } from "./socket-user.ts";
import {
  EXPECTED_FACTS,
  EXPECTED_LINES,
  EXPECTED_STEPS,
  launchIn,
  linesOf,
  tellStory,
  type Told,
} from "./story.ts";
import type { TerminalUser } from "./terminal-user.ts";

const AGENT = "scribe";

let daemon: DaemonProcess;
let cwd: string;
const parts = new AsyncDisposableStack();

beforeAll(async () => {
  const { path: home } = parts.use(makeHome());
  cwd = join(home, "work");
  mkdirSync(cwd);
  const env = { ...environmentOf(home), SHELL: "/bin/bash", NACRE_AGENT_DIRECTORIES: AGENT };
  daemon = parts.use(await DaemonProcess.start({ home, env }));
});
afterAll(() => parts.disposeAsync());

const overHttp = () => connect({ url: daemon.url, token: daemon.token });

/** Who uses a terminal, over what. */
const USERS: Readonly<Record<string, () => Promise<TerminalUser>>> = {
  REST: async () => new ClientUser(overHttp()),
  "the unix socket": async () => new ClientUser(await connectLocal({ home: daemon.home })),
  "the WebSocket of bytes": async () => new SocketUser(overHttp()),
  "the Agent Host Protocol": () => AhpUser.connect(daemon.port, daemon.token),
  "MCP over HTTP": async () => new McpUser(await ToolUser.overHttp(daemon.url, daemon.token)),
  "MCP over stdio": async () => new McpUser((await ToolUser.overStdio(daemon.home)).user),
  "control files": async () => new FilesUser(join(daemon.home, "agents", AGENT, "terminal")),
};
const NAMES = Object.keys(USERS);

interface ToldAndRecorded extends Told {
  readonly recorded: readonly Recorded[];
}

const stories = new Map<string, Promise<ToldAndRecorded>>();

/** The story over a transport; told once, however many tests look at it. */
function storyOver(name: string): Promise<ToldAndRecorded> {
  const tell = async (): Promise<ToldAndRecorded> => {
    await using user = await USERS[name]!();
    const told = await tellStory(user, launchIn(cwd));
    return { ...told, recorded: await readRecorded(overHttp(), told.id) };
  };
  const story = stories.get(name) ?? tell();
  stories.set(name, story);
  return story;
}

test.each(NAMES)("over %s the user is told what happens", async (name) => {
  const { steps, text } = await storyOver(name);
  expect(steps).toEqual(EXPECTED_STEPS);
  const lines = linesOf(stripVTControlCharacters(text));
  expect(lines.filter((line) => EXPECTED_LINES.includes(line))).toEqual(EXPECTED_LINES);
});

test("everything that happened is recorded", async () => {
  const { recorded } = await storyOver("REST");
  const facts = recorded.filter(({ type }) => type !== "input" && type !== "output");
  expect(facts).toMatchObject(EXPECTED_FACTS);
});

test.each(NAMES.slice(1))("over %s the same is recorded as over REST", async (name) => {
  expect((await storyOver(name)).recorded).toEqual((await storyOver("REST")).recorded);
});
