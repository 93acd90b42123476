// Whose a new terminal is and where it starts follows from who asks.
import { readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { ClientId, TerminalId } from "@nacre/contracts";
import { defaultLaunchPolicy } from "@nacre/host";
import { afterAll, describe, expect, test } from "vitest";
import { ownDirectory } from "../support/own-directory.ts";
import { agentNamed, OPERATOR, OperationsRig } from "./operations-rig.ts";

const own = ownDirectory();
const root = own.path;
const [allowed, work, outside] = ["allowed", "allowed/work", "outside"].map((name) =>
  join(root, name),
) as [string, string, string];
await mkdir(work, { recursive: true });
await mkdir(outside);
await symlink(outside, join(work, "escape"));

const policy = {
  ...defaultLaunchPolicy("test"),
  home: allowed,
  allowedRoots: [allowed],
  permittedVariables: ["LD_PRELOAD"],
};
const rig = await OperationsRig.open({ policy });
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  own[Symbol.dispose]();
});

const cat = { command: "/bin/cat" };

test("an operator's terminal is its own and starts at home", async () => {
  expect(await rig.ask("createTerminal", cat)).toMatchObject({
    owner: { entityName: "System", entityId: OPERATOR.id },
    workingDirectory: allowed,
  });
});

test("a command line runs in the shell of the host, and excludes a program", async () => {
  const { id } = await rig.ask("createTerminal", { commandLine: "echo $((6 * 7))" });
  await rig.ask("waitFor", { id, until: [{ kind: "exit" }], after: 0 });
  expect(await rig.ask("readOutput", { id })).toMatchObject({ data: "42\r\n", exitCode: 0 });
  await expect(rig.ask("createTerminal", { ...cat, commandLine: "true" })).rejects.toMatchObject({
    code: "invalid_argument",
    field: "commandLine",
  });
  await expect(
    rig.ask("createTerminal", { args: ["x"], commandLine: "true" }),
  ).rejects.toMatchObject({ code: "invalid_argument", field: "args" });
});

test("S-F8: a command by itself has the id that its caller chose, and under it is never run twice", async () => {
  const id = TerminalId.parse("terminal:chosen-exec");
  const log = join(work, "runs");
  const asked = { id, commandLine: `echo run >>${log}; echo out; exit 4` };
  const both = await Promise.all([rig.ask("execCommand", asked), rig.ask("execCommand", asked)]);
  const again = await rig.ask("execCommand", asked);
  for (const result of [...both, again]) {
    expect(result).toMatchObject({ terminalId: id, exitCode: 4, output: { text: "out\r\n" } });
  }
  expect(readFileSync(log, "utf8")).toBe("run\n");
  await expect(rig.ask("execCommand", { id, commandLine: "true" })).rejects.toMatchObject({
    code: "already_exists",
  });
});

describe("an agent's terminal", () => {
  const agent = agentNamed("ann", { roots: [work] });
  const other = { entityName: "Task", entityId: "7" };

  test("is its owner's and starts in its first root", async () => {
    expect(await rig.ask("createTerminal", cat, agent)).toMatchObject({
      owner: agent.owner,
      workingDirectory: work,
    });
  });

  test("keeps what else its owner says", async () => {
    const owner = { entityName: "Agent", entityId: "ann", attributes: { turn: 4 } };
    expect(await rig.ask("createTerminal", { ...cat, owner }, agent)).toMatchObject({ owner });
  });

  test.each([
    ["outside its roots", { workingDirectory: allowed }, "cwd_forbidden", "workingDirectory"],
    [
      "behind a link",
      { workingDirectory: join(work, "escape") },
      "cwd_forbidden",
      "workingDirectory",
    ],
    ["with another owner", { owner: other }, "forbidden", "owner"],
    ["with all of the environment", { inheritEnv: "all" }, "forbidden", "inheritEnv"],
    [
      "with a variable that is only permitted",
      { env: { LD_PRELOAD: "/x" } },
      "environment_refused",
      "env.LD_PRELOAD",
    ],
  ] as const)("is refused %s", async (_what, input, code, field) => {
    const count = (await rig.ask("listRecordings", {})).recordings.length;
    const refused = { code, field };
    const both = { ...input, ...cat };
    await expect(rig.ask("createTerminal", both, agent)).rejects.toMatchObject(refused);
    await expect(rig.ask("execCommand", both, agent)).rejects.toMatchObject(refused);
    expect((await rig.ask("listRecordings", {})).recordings).toHaveLength(count);
  });

  test("starts nowhere when its roots are not those of the host", async () => {
    const stray = agentNamed("stray", { roots: [outside] });
    await expect(rig.ask("createTerminal", cat, stray)).rejects.toMatchObject({
      code: "cwd_forbidden",
    });
  });

  test("needs an owner", async () => {
    const nobody = agentNamed("nobody", { owner: undefined });
    await expect(rig.ask("createTerminal", cat, nobody)).rejects.toMatchObject({
      code: "forbidden",
    });
  });
});

test("an operator may set what is permitted, and may not leave the roots either", async () => {
  const env = { LD_PRELOAD: "" };
  expect(await rig.ask("createTerminal", { ...cat, env })).toMatchObject({ state: "active" });
  await expect(
    rig.ask("createTerminal", { ...cat, workingDirectory: outside }),
  ).rejects.toMatchObject({ code: "cwd_forbidden", field: "workingDirectory" });
});

describe("a caller may choose", () => {
  test("the id, once", async () => {
    const id = TerminalId.parse("terminal:chosen-1");
    expect(await rig.ask("createTerminal", { ...cat, id })).toMatchObject({ id });
    await expect(rig.ask("createTerminal", { ...cat, id })).rejects.toMatchObject({
      code: "already_exists",
    });
    await rig.ask("disposeTerminal", { id });
    await expect(rig.ask("createTerminal", { ...cat, id })).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(await rig.ask("readTerminal", { id })).toMatchObject({ id, dead: true });
  });

  test("a session that drives first", async () => {
    const claim = { kind: "session", session: "agent:/s1", turnId: "t1" } as const;
    const made = await rig.ask("createTerminal", { ...cat, claim });
    expect(made.claim).toMatchObject({ claim, epoch: 1 });
  });

  test("nobody else to drive first", async () => {
    const listed = async () => {
      const { terminals } = await rig.ask("listTerminals", {});
      return terminals.map(({ id }) => id);
    };
    const before = await listed();
    const claim = { kind: "client", clientId: ClientId.parse("somebody") } as const;
    await expect(rig.ask("createTerminal", { ...cat, claim })).rejects.toMatchObject({
      code: "invalid_argument",
      field: "claim",
    });
    expect(await listed()).toEqual(before);
  });
});
