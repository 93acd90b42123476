// Which shells terminal_run works in, and what is said where it does not.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { serve, type Served } from "./served.ts";

let served: Served;

beforeAll(async () => {
  served = await serve("stdio");
}, 30_000);

afterAll(() => served[Symbol.asyncDispose]());

test.for(["zsh", "dash", "bash --norc", "cat"])(
  "S-L10: `%s` as a command reports nothing, and terminal_run says what to use instead",
  { timeout: 60_000 },
  async (command, { skip }) => {
    requireProgram({ skip }, command.split(" ")[0] ?? "");
    const { agent } = served;
    const { terminal_id } = await agent.get("terminal_create", { command });
    const refused = {
      error: {
        code: "unsupported",
        suggestion: expect.stringMatching(/terminal_exec.*terminal_write.*terminal_wait/) as string,
      },
    };
    const run = async () =>
      (await agent.use("terminal_run", { terminal_id, command: "echo hi" })).value;
    expect(await run()).toMatchObject(refused);
    // Once it waits, the processes look like a shell at its prompt.
    const until = command === "cat" ? "input_needed" : "prompt";
    const waiting = { terminal_id, until, cursor: "0", timeout_ms: 5000 };
    await agent.get("terminal_wait", waiting);
    expect(await run()).toMatchObject(refused);
    await agent.get("terminal_close", { terminal_id });
  },
);

test.for(["bash", "zsh", "fish", "sh"])(
  "S-L10: `%s` as a shell reports its commands",
  { timeout: 60_000 },
  async (shell, { skip }) => {
    requireProgram({ skip }, shell);
    const { agent } = served;
    const { terminal_id } = await agent.get("terminal_create", { shell });
    const ran = await agent.get("terminal_run", { terminal_id, command: "echo hi; false" });
    expect(ran).toMatchObject({ still_running: false, exit_code: 1 });
    // A plain sh does not say where a command starts: what was typed is part of it.
    expect(ran["output"]).toMatch(shell === "sh" ? /hi\n$/ : /^hi\n$/);
    await agent.get("terminal_close", { terminal_id });
  },
);

test("S-L10: a shell and a command at once are refused by name", async () => {
  const given = { shell: "bash", command: "cat" };
  const { isError, value } = await served.agent.use("terminal_create", given);
  expect(isError).toBe(true);
  expect(value).toMatchObject({ error: { code: "invalid_argument" } });
});

test.for(["bash", "zsh", "fish"])(
  "S-F10: what is pasted at a prompt of %s is read once",
  { timeout: 60_000 },
  async (shell, { skip }) => {
    requireProgram({ skip }, shell);
    const { agent } = served;
    const { terminal_id } = await agent.get("terminal_create", { shell });
    await agent.get("terminal_run", { terminal_id, command: "true" });
    const refused = await agent.get("terminal_run", { terminal_id, command: "echo )" });
    expect(`\n${String(refused["output"])}`).not.toMatch(/ececho|eecho|\necho.*echo \)/);
    await agent.get("terminal_keys", { terminal_id, keys: ["C-c"] });
    const text = "for i in 1 2 3; echo $i";
    const pasted = await agent.get("terminal_write", { terminal_id, text, paste: true });
    expect(String(pasted["output"]).match(/for i in/g)).toHaveLength(1);
    expect(String(pasted["output"])).not.toMatch(/fofor|ffor/);
    await agent.get("terminal_close", { terminal_id });
  },
);
