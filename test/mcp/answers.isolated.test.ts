// How tools answer: bounded, readable, told while they work, and never the end of what they started.
import { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../support/tool-user.ts";
import { serve, type Served, WIRES } from "./served.ts";

const WAYS = WIRES.flatMap((wire) => [[wire, "legacy"] as const, [wire, "modern"] as const]);

describe.each(WAYS)("over %s, %s", (wire, era) => {
  let served: Served;

  beforeAll(async () => {
    served = await serve(wire, era);
  }, 30_000);

  afterAll(() => served[Symbol.asyncDispose]());

  test("every tool says what it takes and what it does to the world", async () => {
    const { tools } = await served.agent.client.listTools();
    const verbs = "claim close create exec history keys list read request_input resize run";
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      `${verbs} screen search signal wait write`.split(" ").map((verb) => `terminal_${verb}`),
    );
    for (const { inputSchema, annotations, description } of tools) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(annotations).toMatchObject({
        readOnlyHint: expect.any(Boolean) as boolean,
        destructiveHint: expect.any(Boolean) as boolean,
        idempotentHint: expect.any(Boolean) as boolean,
      });
      expect(description?.length).toBeGreaterThan(40);
    }
  });

  test("a wrong argument is a result that names it, and nothing runs", async () => {
    const before = await served.person.listRecordings({});
    for (const [given, field] of [
      [{ command: "true", yield_time_ms: 1 }, "yield_time_ms"],
      [{ command: "true", comand: "true" }, "comand"],
      [{}, "command"],
    ] as const) {
      const { isError, text } = await served.agent.use("terminal_exec", given);
      expect(isError).toBe(true);
      expect(JSON.parse(text)).toMatchObject({ error: { code: "invalid_argument", field } });
    }
    expect(await served.person.listRecordings({})).toEqual(before);
  });

  test("a program that does not exist, a directory that does not, and a terminal that does not, each have their code", async () => {
    const codeOf = async (name: string, given: object): Promise<unknown> =>
      JSON.parse((await served.agent.use(name, given)).text);
    // S-L12: what is advised is what tools have.
    expect(await codeOf("terminal_exec", { command: "true", cwd: "/nowhere" })).toMatchObject({
      error: { code: "cwd_not_found", field: "cwd", suggestion: "Create it, or name another one." },
    });
    expect(await codeOf("terminal_read", { terminal_id: "terminal:none" })).toMatchObject({
      error: { code: "terminal_not_found" },
    });
    expect(await served.agent.get("terminal_exec", { command: "no-such-program" })).toMatchObject({
      exit_code: 127,
    });
  });

  test("long output is its beginning and its end, and the rest is read by the cursor that is told", async () => {
    const command = "seq 1 20000";
    const answer = await served.agent.get("terminal_exec", { command, max_output_bytes: 1000 });
    expect(answer).toMatchObject({ truncated: true, exit_code: 0, bytes: 128_894 });
    const output = String(answer["output"]);
    expect(output.length).toBeLessThan(1100);
    expect(output).toMatch(/^1\n2\n[^]*\[\d+ of 128894 bytes left out here\]\n[^]*\n20000\n$/);
    const [, cursor] = /cursor (\S+)/.exec(String(answer["rest"])) ?? [];
    const { terminal_id } = answer;
    let [from, all] = [cursor, ""];
    for (let pages = 0; pages < 100; pages++) {
      const page = await served.agent.get("terminal_read", {
        terminal_id,
        cursor: from,
        max_output_bytes: 50_000,
      });
      all += String(page["output"]);
      from = String(page["cursor"]);
      if (page["output"] === "") break;
    }
    expect(all).toBe(Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(""));
    const shown = await served.agent.get("terminal_read", { terminal_id, max_output_bytes: 1000 });
    expect(shown).toMatchObject({ truncated: true, bytes: 128_894 });
    expect(shown["output"]).toMatch(/^1\n[^]*left out here\]\n[^]*\n20000\n$/);
  });

  test("S-F5: pages are full, and each says whether more is there and how the program ended", async () => {
    const command = "seq 1 30000; exit 3";
    const answer = await served.agent.get("terminal_exec", { command });
    expect(answer).toMatchObject({ truncated: true, exit_code: 3 });
    const { terminal_id, rest } = answer;
    const [, first] = /cursor (\S+)/.exec(String(rest)) ?? [];
    const pages: Answer["value"][] = [];
    for (let cursor: unknown = first; pages.at(-1)?.["truncated"] !== undefined || !pages[0];) {
      const page = await served.agent.get("terminal_read", { terminal_id, cursor });
      expect(page).toMatchObject({ still_running: false, exit_code: 3 });
      pages.push(page);
      ({ cursor } = page);
    }
    const texts = pages.map(({ output }) => String(output));
    expect(texts.join("")).toBe(Array.from({ length: 30_000 }, (_, at) => `${at + 1}\n`).join(""));
    for (const text of texts.slice(0, -1)) expect(text.length).toBeGreaterThan(24_000);
    expect(pages.map((page) => page["truncated"])).toEqual(
      pages.map((_, at) => (at < pages.length - 1 ? true : undefined)),
    );
  });

  test("S-F5: a page of a program that runs says so, and that nothing more is there yet", async () => {
    const { terminal_id } = await served.agent.get("terminal_create", { command: "echo up; cat" });
    await served.agent.get("terminal_wait", { terminal_id, until: "text", text: "up" });
    const page = await served.agent.get("terminal_read", { terminal_id, cursor: "0" });
    expect(page).toMatchObject({ output: "up\n", still_running: true, exit_code: null });
    expect(page).not.toHaveProperty("truncated");
  });

  test("S-L11: what was written just before is found", async () => {
    const word = `needle${Math.random().toString(36).slice(2)}`;
    const { terminal_id } = await served.agent.get("terminal_exec", { command: `echo ${word}` });
    const search = () => served.agent.get("terminal_search", { text: word, terminal_id });
    let found = await search();
    // A machine that is busy for longer than a second is told as such.
    while (found["behind"] === true) found = await search();
    expect(found).toMatchObject({ hits: [{ terminal_id, line: word }] });
  });

  test("characters that hide something from people do not reach a model", async () => {
    const command = String.raw`printf 'ok\u200b\u202e\U000e0041\033[8mrm -rf\033[0m \033]0;evil\007done\r\n'`;
    const { output } = await served.agent.get("terminal_exec", { command });
    expect(output).toBe("ok       done\n");
  });

  test("what still runs is told as such, and waited for from there", async () => {
    const command = "stty -echo; echo begun; read go; echo done; exit 3";
    const begun = await served.agent.get("terminal_exec", { command, yield_time_ms: 300 });
    expect(begun).toMatchObject({ still_running: true, exit_code: null });
    const { terminal_id, cursor } = begun;
    const until = { until: "text", text: "begun", cursor: "0" };
    await served.agent.get("terminal_wait", { terminal_id, ...until });
    await served.agent.get("terminal_write", { terminal_id, text: "", submit: true });
    const waiting = { terminal_id, cursor, until: "exit" };
    const ended = await served.agent.get("terminal_wait", waiting);
    expect(ended).toMatchObject({ outcome: "exit", still_running: false, exit_code: 3 });
    expect(`${String(begun["output"])}${String(ended["output"])}`).toBe("begun\ndone\n");
  });

  test("a deadline ends the program, and says so", async () => {
    expect(
      await served.agent.get("terminal_exec", { command: "sleep 60", timeout_ms: 200 }),
    ).toMatchObject({
      timed_out: true,
      still_running: false,
      exit_code: null,
    });
  });

  test("to cancel ends the wait and not the program", async () => {
    const gone = new AbortController();
    const { terminal_id } = await served.agent.get("terminal_create", { command: "cat" });
    const id = TerminalId.parse(terminal_id);
    const waiting = served.agent.use(
      "terminal_wait",
      { terminal_id, until: "exit", timeout_ms: 60_000 },
      { signal: gone.signal },
    );
    await served.person.sendInput({ id, data: "still here\r" });
    gone.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect((await served.person.readTerminal({ id })).state).toBe("active");
    const long = new AbortController();
    const running = served.agent.use(
      "terminal_exec",
      { command: "echo up; sleep 60" },
      { signal: long.signal },
    );
    const started = async () =>
      (await served.person.listTerminals({ state: "active" })).terminals.some(
        ({ name }) => name === "echo up; sleep 60",
      );
    await expect.poll(started, { timeout: 15_000 }).toBe(true);
    long.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    expect(await started()).toBe(true);
  });

  test("who asks to be told is told that a tool still works", async () => {
    const told: number[] = [];
    await served.agent.get(
      "terminal_exec",
      { command: "sleep 2.3" },
      { onprogress: ({ progress }) => void told.push(progress) },
    );
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
  });

  test("S-L14: the resource of a long recording is its beginning and its end, and how to get the rest", async () => {
    const command = "seq 1 200000";
    const { terminal_id } = await served.agent.get("terminal_exec", { command });
    const uri = `nacre://recordings/${String(terminal_id)}`;
    const { contents } = await served.agent.client.readResource({ uri });
    const [content] = contents;
    const text = content !== undefined && "text" in content ? content.text : "";
    expect(text.length).toBeLessThan(66_000);
    expect(text).toMatch(/^1\n2\n[^]*bytes left out here\]\n[^]*\n200000\n/);
    expect(text).toMatch(/\[left out: terminal_read with cursor 0 .*\]\n$/);
  });

  test("screens and recordings have addresses", async () => {
    const { terminal_id } = await served.agent.get("terminal_create", {
      command: "echo on the screen; cat",
    });
    await served.agent.get("terminal_wait", { terminal_id, until: "text", text: "screen" });
    const { resources } = await served.agent.client.listResources();
    const uris = resources.map(({ uri }) => uri);
    const [screen, recording] = [
      `nacre://terminals/${String(terminal_id)}/screen`,
      `nacre://recordings/${String(terminal_id)}`,
    ];
    expect(uris).toEqual(expect.arrayContaining([screen, recording]));
    for (const uri of [screen, recording]) {
      const { contents } = await served.agent.client.readResource({ uri });
      expect(contents).toMatchObject([
        { uri, mimeType: "text/plain", text: expect.stringMatching(/^on the screen\n/) as string },
      ]);
    }
    const missing = served.agent.client.readResource({ uri: "nacre://recordings/terminal:none" });
    await expect(missing).rejects.toThrow("not found");
  });
});
