// What programs at their prompts wait for, and which tool answers them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { serve, type Served } from "./served.ts";

let served: Served;

beforeAll(async () => {
  served = await serve("stdio");
}, 30_000);

afterAll(() => served[Symbol.asyncDispose]());

test.for([
  ["bash --norc", "bash", "echo $((40+2))"],
  ["zsh -f", "zsh", "echo $((40+2))"],
  ["fish --no-config", "fish", "math 40+2"],
  ["python3 -q", "python3", "40+2"],
  ["node", "node", "40+2"],
] as const)(
  "S-L9: `%s` takes lines, and is told so",
  { timeout: 60_000 },
  async ([command, program, line], { skip }) => {
    requireProgram({ skip }, program);
    const { agent } = served;
    const { terminal_id } = await agent.get("terminal_create");
    const asked = { terminal_id, command, yield_time_ms: 30_000 };
    expect(await agent.get("terminal_run", asked)).toMatchObject({
      still_running: true,
      input_needed: "line",
      next: expect.stringContaining("terminal_write with submit") as string,
    });
    const typed = { terminal_id, text: line, submit: true, yield_time_ms: 10_000 };
    await agent.get("terminal_write", typed);
    const waiting = { terminal_id, until: "regex", pattern: "^42", cursor: "0" };
    expect(await agent.get("terminal_wait", waiting)).toMatchObject({ outcome: "regex" });
    const again = { terminal_id, until: "input_needed", cursor: "0" };
    expect(await agent.get("terminal_wait", again)).toMatchObject({ input_needed: "line" });
    await agent.get("terminal_close", { terminal_id });
  },
);

test("S-L9: an editor and a pager take keys, and are told so", async ({ skip }) => {
  requireProgram({ skip }, "vim");
  const asked = { command: "vim -u NONE -N", yield_time_ms: 30_000 };
  const { terminal_id, ...started } = await served.agent.get("terminal_exec", asked);
  expect(started).toMatchObject({
    input_needed: "key",
    next: expect.stringContaining("terminal_keys") as string,
  });
  await served.agent.get("terminal_close", { terminal_id });
}, 60_000);
