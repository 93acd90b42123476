import { describe, expect, test } from "vitest";
import { OWNER, refusal, TERMINAL_ID, TERMINAL_INPUT } from "./fixtures.ts";
import { MAX_ARGUMENT_BYTES, MAX_ARGUMENTS_BYTES } from "./launch-fields.ts";
import { parse } from "./parse.ts";
import { TerminalInputSchema } from "./terminal-input.ts";

describe("creating a terminal", () => {
  const refused = (value: object) => refusal(TerminalInputSchema, { ...TERMINAL_INPUT, ...value });

  const accepted = (value: object) => parse(TerminalInputSchema, { ...TERMINAL_INPUT, ...value });

  test.each(["System", "Repository", "Mission", "Task", "Artifact", "AgentExecution", "Foo"])(
    "accepts the owner name %s",
    (entityName) => {
      const owner = { entityName, entityId: "1", attributes: { nested: { deep: [1, null] } } };
      expect(accepted({ owner }).owner).toEqual(owner);
    },
  );

  test("takes a shell, what to inherit and where to fall back", () => {
    const value = { shell: "zsh", inheritEnv: "none", cwdFallback: "home" };
    expect(accepted(value)).toEqual({ ...TERMINAL_INPUT, ...value });
    expect(refused({ shell: "" })).toMatchObject({ field: "shell" });
    expect(refused({ inheritEnv: "some" })).toMatchObject({ field: "inheritEnv" });
    expect(refused({ cwdFallback: true })).toMatchObject({ field: "cwdFallback" });
  });

  test("refuses an id and entries, which are not the owner's to choose", () => {
    expect(refused({ id: TERMINAL_ID })).toMatchObject({ field: "id" });
    expect(refused({ recordingEntries: [] })).toMatchObject({ field: "recordingEntries" });
  });

  test("refuses NUL wherever the operating system would stop at it", () => {
    expect(refused({ workingDirectory: "/a\u0000" })).toMatchObject({ field: "workingDirectory" });
    expect(refused({ command: "a\u0000" })).toMatchObject({ field: "command" });
    expect(refused({ args: ["ok", "a\u0000"] })).toMatchObject({ field: "args.1" });
    expect(refused({ env: { A: "a\u0000" } })).toMatchObject({ field: "env.A" });
    expect(refused({ name: "a\u0000" })).toMatchObject({ field: "name" });
  });

  test("refuses a name that could drive the terminal it is listed in", () => {
    expect(refused({ name: "\u001b[2J" })).toMatchObject({ field: "name" });
  });

  test.each(["", "tmp", "./tmp", "~/x"])("refuses the relative directory %j", (directory) => {
    expect(refused({ workingDirectory: directory })).toMatchObject({ field: "workingDirectory" });
  });

  test.each(["/", "/tmp/a b\n", " \t/tmp\n", "C:\\work", "C:/work", "\\\\share\\work"])(
    "accepts the absolute directory %j",
    (workingDirectory) => {
      const parsed = parse(TerminalInputSchema, { ...TERMINAL_INPUT, workingDirectory });
      expect(parsed).toMatchObject({ workingDirectory });
    },
  );

  test("refuses a variable with an impossible name", () => {
    expect(refused({ env: { "A=B": "1" } })).toMatchObject({ field: "env.A=B" });
  });

  test("counts arguments in bytes as the kernel does", () => {
    const fits = "a".repeat(MAX_ARGUMENT_BYTES - 1);
    expect(accepted({ args: [fits] }).args).toEqual([fits]);
    expect(refused({ args: ["", `${fits}a`] })).toMatchObject({ field: "args.1" });
    expect(refused({ args: ["é".repeat(MAX_ARGUMENT_BYTES / 2)] })).toMatchObject({
      field: "args.0",
    });
    expect(refused({ command: "é".repeat(MAX_ARGUMENT_BYTES / 2) })).toMatchObject({
      field: "command",
    });
  });

  test("limits all arguments and all variables together", () => {
    const value = "a".repeat(MAX_ARGUMENT_BYTES / 2);
    const most = Array.from({ length: MAX_ARGUMENTS_BYTES / value.length - 1 }, () => value);
    const env = Object.fromEntries(most.map((text, index) => [`V${index}`, text]));
    expect(accepted({ args: most, env })).toMatchObject({ args: most, env });
    expect(refused({ args: [...most, value] })).toMatchObject({ field: "args" });
    expect(refused({ args: most.map(() => "é".repeat(value.length / 2 + 3000)) })).toMatchObject({
      field: "args",
    });
    expect(refused({ env: { ...env, LAST: value } })).toMatchObject({ field: "env" });
  });

  test("counts a variable with its name", () => {
    const value = "a".repeat(MAX_ARGUMENT_BYTES - "A=".length - 1);
    expect(accepted({ env: { A: value } }).env).toEqual({ A: value });
    expect(refused({ env: { AB: value } })).toMatchObject({ field: "env.AB" });
  });

  test("refuses more than 256 variables", () => {
    const env = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`V${index}`, ""]));
    expect(refused({ env })).toMatchObject({ field: "env" });
  });

  test("says of a text that is too long only that, for it is not looked at further", () => {
    const name = "\u0000".repeat(257);
    const { error } = TerminalInputSchema.safeParse({ ...TERMINAL_INPUT, name });
    expect(error?.issues).toMatchObject([{ code: "too_big", path: ["name"] }]);
  });

  test("counts before it looks at what is inside", () => {
    const wrong = Array.from({ length: 1025 }, () => 1);
    expect(refused({ args: wrong })).toMatchObject({ field: "args" });
    expect(refused({ args: wrong.slice(1) })).toMatchObject({ field: "args.0" });
    expect(refused({ env: Object.fromEntries(wrong.entries()) })).toMatchObject({ field: "env" });
  });

  test.each(["__proto__", "constructor", "prototype"])("refuses the key %s", (key) => {
    const record = JSON.parse(`{"A":"1","${key}":"x"}`) as object;
    const message = expect.stringContaining(`must not have the key \`${key}\``);
    expect(refused({ env: record })).toMatchObject({ field: "env", message });
    for (const [field, attributes] of [
      ["owner.attributes", record],
      ["owner.attributes.deep.1", { deep: [0, record] }],
    ]) {
      expect(refused({ owner: { ...OWNER, attributes } })).toMatchObject({ field, message });
    }
  });
});

describe("attributes of an owner", () => {
  const inputWith = (attributes: unknown) => ({
    ...TERMINAL_INPUT,
    owner: { ...OWNER, attributes },
  });
  const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });

  test.each([{}, { a: [1, "x", true, null, { b: -1.5 }] }, nested(16)])(
    "may be %j and come back unchanged",
    (attributes) => {
      expect(parse(TerminalInputSchema, inputWith(attributes)).owner.attributes).toEqual(
        attributes,
      );
    },
  );

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;

  test.each<[string, unknown]>([
    ["a number that is not finite", { a: Number.NaN }],
    ["an endless number", { a: [Number.POSITIVE_INFINITY] }],
    ["half of a surrogate pair", { a: "\ud800" }],
    ["half of a surrogate pair in a key", { a: { "\ud800": 1 } }],
    ["a date", { a: new Date(0) }],
    ["undefined", { a: undefined }],
    ["a big integer", { a: 1n }],
    ["a function", { a: () => 1 }],
    ["a symbol as key", { [Symbol("a")]: 1 }],
    ["a map", new Map()],
    ["a cycle", cycle],
    ["17 levels", nested(17)],
    ["a list", []],
    ["null", null],
    ["an empty key", { "": 1 }],
    ["too much text", { note: "x".repeat(20_000) }],
    ["too many items", { list: Array.from({ length: 20_000 }, () => 0) }],
    ["text that is too long once written", { note: '"'.repeat(10_000) }],
  ])("must not be or hold %s", (_what, attributes) => {
    const { field } = refusal(TerminalInputSchema, inputWith(attributes));
    expect(field).toMatch(/^owner\.attributes/);
  });
});
