// What agents do all day, with a client as the authors of the protocol write it, over both wires.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasProgram } from "./has-program.ts";
import { serve, type Served, WIRES } from "./served.ts";

/** A busy machine takes longer than expect.poll waits by itself. */
const PATIENCE = { timeout: 15_000 };

describe.each(WIRES)("over %s", (wire) => {
  let served: Served;

  beforeAll(async () => {
    served = await serve(wire);
  }, 30_000);

  afterAll(() => served[Symbol.asyncDispose]());

  test("a build that fails tells its exit code and what it said", async () => {
    const script = join(served.home, "build.sh");
    await writeFile(script, "echo compiling; echo 'error: no such header' >&2; exit 7\n");
    const { value, text } = await served.agent.use("terminal_exec", {
      command: "sh build.sh",
      cwd: served.home,
    });
    expect(value).toMatchObject({
      exit_code: 7,
      still_running: false,
      output: "compiling\nerror: no such header\n",
      untrusted: true,
    });
    expect(text).toMatch(/^compiling\nerror: no such header\n\n\{.*\}$/);
  });

  test("a shell keeps its directory from one command to the next", async () => {
    const { terminal_id } = await served.agent.get("terminal_create");
    await served.agent.get("terminal_run", { terminal_id, command: "cd /usr" });
    expect(
      await served.agent.get("terminal_run", { terminal_id, command: "pwd; false" }),
    ).toMatchObject({
      output: "/usr\n",
      exit_code: 1,
      still_running: false,
    });
    const { commands } = await served.agent.get("terminal_history", { terminal_id });
    expect(commands).toMatchObject([
      { command: "cd /usr" },
      { command: "pwd; false", exit_code: 1 },
    ]);
    expect(await served.agent.get("terminal_list")).toMatchObject({
      terminals: expect.arrayContaining([
        expect.objectContaining({ terminal_id, state: "active", cwd: "/usr" }),
      ]) as unknown,
    });
  });

  test("a dialogue with an interpreter goes back and forth", async () => {
    const { terminal_id } = await served.agent.get("terminal_create", {
      command: `'${process.execPath}' -i`,
    });
    await served.agent.get("terminal_wait", { terminal_id, until: "text", text: "> " });
    const first = await served.agent.get("terminal_write", {
      terminal_id,
      text: "const six = 6",
      submit: true,
    });
    expect(first).toMatchObject({ still_running: true });
    const { cursor } = first;
    await served.agent.get("terminal_write", { terminal_id, text: "six * 7", submit: true });
    const answer = { terminal_id, cursor, until: "text", text: "42" };
    expect(await served.agent.get("terminal_wait", answer)).toMatchObject({ match: "42" });
    await served.agent.get("terminal_write", { terminal_id, text: ".exit", submit: true });
    expect(await served.agent.get("terminal_wait", { terminal_id, until: "exit" })).toMatchObject({
      still_running: false,
      exit_code: 0,
    });
  });

  test.skipIf(!hasProgram("vim"))(
    "an editor is used by its keys, and its file is saved",
    async () => {
      const file = join(served.home, `${wire}.txt`);
      const { terminal_id } = await served.agent.get("terminal_create", {
        command: `vim -u NONE -n '${file}'`,
        cols: 80,
        rows: 24,
      });
      const screen = () => served.agent.get("terminal_screen", { terminal_id });
      await expect.poll(screen, PATIENCE).toMatchObject({ full_screen: true });
      const keys = ["i", "h", "e", "l", "l", "o", "Enter", "w", "o", "r", "l", "d", "Escape"];
      const shown = await served.agent.get("terminal_keys", { terminal_id, keys });
      expect(shown).toMatchObject({ full_screen: true, cols: 80, rows: 24 });
      await expect.poll(screen, PATIENCE).toMatchObject({
        cursor_row: 1,
        screen: expect.stringMatching(/^hello\nworld\n~/) as string,
      });
      await served.agent.get("terminal_write", { terminal_id, text: ":wq", submit: true });
      await served.agent.get("terminal_wait", { terminal_id, until: "exit" });
      expect(await readFile(file, "utf8")).toBe("hello\nworld\n");
    },
  );

  test("a server is left in the background, read later and ended", async () => {
    const started = await served.agent.get("terminal_exec", {
      command: "echo listening on 4000; while read line; do echo got $line; done",
      run_in_background: true,
    });
    expect(started).toMatchObject({ still_running: true, exit_code: null });
    const { terminal_id } = started;
    const ready = await served.agent.get("terminal_wait", {
      terminal_id,
      until: "text",
      text: "listening on",
    });
    expect(ready).toMatchObject({ outcome: "text", match: "listening on", still_running: true });
    await served.agent.get("terminal_write", { terminal_id, text: "one", submit: true });
    await served.agent.get("terminal_wait", { terminal_id, until: "text", text: "got one" });
    await served.agent.get("terminal_wait", { terminal_id, until: "quiet" });
    const page = await served.agent.get("terminal_read", { terminal_id });
    expect(page["output"]).toContain("got one\n");
    const cursor = page["cursor"];
    expect(await served.agent.get("terminal_read", { terminal_id, cursor })).toMatchObject({
      output: "",
    });
    await served.agent.get("terminal_write", { terminal_id, text: "two", submit: true });
    const again = { terminal_id, cursor, yield_time_ms: 5000 };
    expect((await served.agent.get("terminal_read", again))["output"]).toContain("two");
    await served.agent.get("terminal_signal", { terminal_id, signal: "SIGTERM", target: "tree" });
    expect(await served.agent.get("terminal_wait", { terminal_id, until: "exit" })).toMatchObject({
      still_running: false,
      signal: "SIGTERM",
    });
    expect(await served.agent.get("terminal_close", { terminal_id })).toMatchObject({
      closed: true,
    });
    expect((await served.agent.get("terminal_read", { terminal_id }))["output"]).toContain(
      "listening",
    );
  });

  test("a password is typed by a person, and the agent never sees it", async () => {
    const command = `printf 'Password: '; stty -echo; read p; stty echo; echo; [ "$p" = hunter2 ] && echo welcome`;
    const asking = await served.agent.get("terminal_exec", { command, yield_time_ms: 20_000 });
    expect(asking).toMatchObject({ still_running: true, input_needed: "secret" });
    const id = TerminalId.parse(asking["terminal_id"]);
    const request = served.agent.use("terminal_request_input", {
      terminal_id: id,
      prompt: "the password of the database",
      timeout_ms: 20_000,
    });
    const asked = served.person.feed(id, { after: 0 });
    for await (const message of asked) {
      if (message.kind === "entry" && message.entry.type === "marker") break;
    }
    await served.person.sendInput({ id, data: "hun" });
    await served.person.sendInput({ id, data: "ter2\r" });
    const { value, text } = await request;
    expect(value).toMatchObject({ outcome: "answered", terminal_id: id });
    const ended = await served.agent.get("terminal_wait", { terminal_id: id, until: "exit" });
    const { output } = await served.agent.get("terminal_read", { terminal_id: id });
    expect(ended).toMatchObject({ exit_code: 0 });
    expect(output).toContain("welcome");
    expect(`${text}${JSON.stringify(ended)}${String(output)}`).not.toContain("hunter2");
  });

  test("what nobody answers in time still stands", async () => {
    const { terminal_id } = await served.agent.get("terminal_create", { command: "cat" });
    const asked = { terminal_id, prompt: "a name", timeout_ms: 300 };
    expect(await served.agent.get("terminal_request_input", asked)).toMatchObject({
      outcome: "pending",
    });
  });

  test("text is found in what has ended", async () => {
    await served.agent.get("terminal_exec", { command: `echo a needle over ${wire}` });
    await expect
      .poll(
        () =>
          served.agent.get("terminal_search", { text: `needle over ${wire}`, mode: "substring" }),
        PATIENCE,
      )
      .toMatchObject({
        hits: expect.arrayContaining([
          expect.objectContaining({ line: `a needle over ${wire}` }),
        ]) as unknown,
      });
  });

  test("control is taken, but asked for where a person has it", async () => {
    const { terminal_id } = await served.agent.get("terminal_create", { command: "cat" });
    const taking = { terminal_id, action: "take", note: "to finish the build" };
    expect(await served.agent.get("terminal_claim", taking)).toMatchObject({ outcome: "taken" });
    await served.person.moveClaim({ id: TerminalId.parse(terminal_id) });
    const { isError, text } = await served.agent.use("terminal_claim", taking);
    expect(isError).toBe(true);
    expect(JSON.parse(text)).toMatchObject({
      error: { code: "claim_held", suggestion: expect.any(String) as string },
    });
    const asking = { terminal_id, action: "request", timeout_ms: 200 };
    expect(await served.agent.get("terminal_claim", asking)).toMatchObject({ outcome: "expired" });
  });
});
