// The same bytes are the same text on every wire.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { connect } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { FileAgent } from "../support/file-agent.ts";
import { environmentOf, makeHome, NACRE } from "../support/nacre-program.ts";
import { ToolUser } from "../support/tool-user.ts";
import { SAMPLES, type TextSample } from "./samples.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const AGENT = "reader";
const run = promisify(execFile);

let daemon: DaemonProcess;
let cwd: string;
let client: ReturnType<typeof connect>;
let tools: ToolUser;
let agent: FileAgent;
const ids = new Map<string, TerminalId>();
const parts = new AsyncDisposableStack();

beforeAll(async () => {
  const { path: home } = parts.use(makeHome());
  cwd = join(home, "work");
  mkdirSync(cwd);
  const env = { ...environmentOf(home), NACRE_AGENT_DIRECTORIES: AGENT };
  daemon = parts.use(await DaemonProcess.start({ home, env }));
  client = connect({ url: daemon.url, token: daemon.token });
  tools = parts.use(await ToolUser.overHttp(daemon.url, daemon.token));
  agent = new FileAgent(join(home, "agents", AGENT, "terminal"));
  for (const [index, { name, bytes }] of SAMPLES.entries()) {
    writeFileSync(join(cwd, `sample-${index}`), bytes);
    const command = { command: "cat", args: [`sample-${index}`], workingDirectory: cwd };
    const { id } = await client.createTerminal({ ...command, name: `sample-${index}` });
    ids.set(name, id);
    await client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
  }
});
afterAll(() => parts.disposeAsync());

const idOf = ({ name }: TextSample): TerminalId => ids.get(name)!;

/** Whole lines, as they are found in an index. */
const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !line.startsWith("[a full-screen"));

describe.each(SAMPLES)("$name", (sample) => {
  test("readOutput", async () => {
    const { data, ended } = await client.readOutput({ id: idOf(sample), view: "text" });
    expect([data, ended]).toEqual([sample.text, true]);
  });

  test("wait", async () => {
    const text = sample.waited ?? sample.text;
    const met = await client.waitFor({
      id: idOf(sample),
      until: [{ kind: "text", text }],
      after: 0,
    });
    expect(met).toMatchObject({ outcome: "text", match: text });
  });

  test("search", async () => {
    for (const line of linesOf(sample.text)) {
      const terminalIds = [idOf(sample)];
      const found = await vi.waitFor(async () => {
        const asked = { text: line, mode: "substring", terminalIds } as const;
        const { hits } = await client.searchRecordings({ ...asked, types: ["output"] });
        expect(hits.length).toBeGreaterThan(0);
        return hits.map((hit) => hit.line);
      });
      expect(found).toContain(line);
    }
  });

  test("MCP", async () => {
    const { output } = await tools.get("terminal_read", { terminal_id: idOf(sample) });
    expect(output).toBe(sample.text);
  });

  test("control files", async () => {
    // An agent that has only files sees its own programs; they have a pipe.
    const command = `cat sample-${SAMPLES.indexOf(sample)}`;
    const { result, error } = await agent.ask("exec", { command, cwd });
    expect([error, result?.text]).toEqual([null, sample.text]);
  });

  test("nacre logs", async () => {
    const { stdout } = await run(process.execPath, [...NACRE, "logs", "--json", idOf(sample)], {
      env: environmentOf(daemon.home),
    });
    const { result } = JSON.parse(stdout) as { result: { lines: { text: string }[] } };
    expect(result.lines.map((line) => line.text).join("\n")).toBe(sample.text.replace(/\n$/, ""));
  });
});
