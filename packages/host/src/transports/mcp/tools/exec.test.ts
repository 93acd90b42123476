import { NacreError, type OperationInput } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ScriptedCaller, silence } from "../testing/scripted-caller.ts";
import { execTool } from "./exec.ts";

const EXCERPT = {
  text: "\u001B[31mno\u001B[0m\r\n",
  truncated: false,
  totalBytes: 13,
  totalLines: 1,
  omittedBytes: 0,
  position: { after: 0 },
};

const page = (data: string, more: object = {}) => ({
  data,
  position: { after: 9 },
  ended: false,
  ...more,
});

/** Output that is there once, and nothing behind it. */
const once =
  (data: string) =>
  ({ position }: OperationInput<"readOutput">) =>
    page(position?.after === 9 ? "" : data);

test("a command that ends is one request, and its output is text", async () => {
  const caller = new ScriptedCaller({
    execCommand: ({ id }: OperationInput<"execCommand">) => ({
      terminalId: id,
      exitCode: 7,
      timedOut: false,
      durationMs: 12,
      output: EXCERPT,
    }),
  });
  const given = { command: "make\nall", cwd: "/src", max_output_bytes: 500, timeout_ms: 1000 };
  const answer = await execTool.use(given, caller.use);
  expect(answer).toEqual({
    terminal_id: expect.stringMatching(/^terminal:/) as string,
    still_running: false,
    exit_code: 7,
    duration_ms: 12,
    output: "no\n",
    untrusted: true,
  });
  expect(execTool.output.parse(answer)).toEqual(answer);
  expect(caller.asked).toEqual([
    [
      "execCommand",
      {
        id: expect.stringMatching(/^terminal:/) as string,
        name: "make all",
        commandLine: "make\nall",
        workingDirectory: "/src",
        timeoutMs: 1000,
        maxOutputBytes: 500,
      },
    ],
  ]);
});

test("one that takes longer is left running, with what it wrote so far", async () => {
  const caller = new ScriptedCaller({
    execCommand: silence,
    waitFor: ({ timeoutMs }: OperationInput<"waitFor">, signal: AbortSignal) =>
      timeoutMs === 0 ? { outcome: "timeout", sequence: 9 } : silence({} as never, signal),
    readOutput: once("begun\r\n"),
  });
  expect(await execTool.use({ command: "make", yield_time_ms: 250 }, caller.use)).toMatchObject({
    still_running: true,
    exit_code: null,
    output: "begun\n",
    cursor: "9",
    next: expect.stringContaining("terminal_wait") as string,
  });
});

test("one that asks for something is told of at once", async () => {
  const inputNeeded = { kind: "secret", since: "2026-01-01T00:00:00.000Z" };
  const caller = new ScriptedCaller({
    execCommand: silence,
    waitFor: () => ({ outcome: "inputNeeded", sequence: 9, inputNeeded }),
    readOutput: once("Password: "),
  });
  const startedAt = performance.now();
  expect(
    await execTool.use({ command: "sudo true", yield_time_ms: 30_000 }, caller.use),
  ).toMatchObject({
    still_running: true,
    input_needed: "secret",
    output: "Password: ",
  });
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

test("one that has not even started is waited for until it has", async () => {
  let looks = 0;
  const caller = new ScriptedCaller({
    execCommand: silence,
    waitFor: () => {
      if (++looks < 4) throw new NacreError("terminal_not_found", "no such terminal");
      return { outcome: "timeout", sequence: 0 };
    },
    readOutput: () => {
      if (looks < 4) throw new NacreError("terminal_not_found", "no such terminal");
      return page("", { position: { after: 0 } });
    },
  });
  expect(await execTool.use({ command: "make", yield_time_ms: 250 }, caller.use)).toMatchObject({
    still_running: true,
    output: "",
    cursor: "0",
  });
});

test("a failure is a failure, and who cancels gets no answer", async () => {
  const failing = new ScriptedCaller({
    execCommand: () => {
      throw new NacreError("cwd_not_found", "/nowhere does not exist");
    },
  });
  await expect(execTool.use({ command: "make" }, failing.use)).rejects.toMatchObject({
    code: "cwd_not_found",
  });
  const leaving = new ScriptedCaller({ execCommand: silence });
  const using = execTool.use({ command: "make" }, leaving.use);
  leaving.leave();
  await expect(using).rejects.toMatchObject({ code: "unavailable" });
  expect(leaving.asked.map(([name]) => name)).toEqual(["execCommand"]);
});

test("in the background it has no deadline", async () => {
  const caller = new ScriptedCaller({
    createTerminal: () => ({ id: "terminal:b1" }),
    readOutput: once(""),
    waitFor: () => ({ outcome: "timeout", sequence: 0 }),
  });
  const answer = await execTool.use({ command: "npm start", run_in_background: true }, caller.use);
  expect(answer).toMatchObject({ terminal_id: "terminal:b1", still_running: true });
  expect(caller.asked[0]).toEqual([
    "createTerminal",
    { commandLine: "npm start", name: "npm start", shellIntegration: "off" },
  ]);
});
