// Agents and people in the same terminal: who is not at the wheel any more is told so, and when that is over.
import { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DaemonProcess, runCli } from "../support/daemon-process.ts";
import { environmentOf, makeHome } from "../support/nacre-program.ts";
import { ToolUser } from "../support/tool-user.ts";
import { serve, type Served, WIRES } from "./served.ts";

describe.each(WIRES)("over %s", (wire) => {
  let served: Served;

  beforeAll(async () => {
    served = await serve(wire);
  }, 30_000);

  afterAll(() => served[Symbol.asyncDispose]());

  test("S-F12: every answer says that a person took over, and the first after it that control is back", async () => {
    const { agent, person } = served;
    const { terminal_id } = await agent.get("terminal_create");
    const use = async (verb: string, given: object = {}) =>
      (await agent.use(`terminal_${verb}`, { terminal_id, ...given })).value;
    expect(await use("run", { command: "echo mine" })).not.toHaveProperty("driver");
    const id = TerminalId.parse(terminal_id);
    const { claim, since } = await person.moveClaim({ id, note: "I will fix the merge" });
    const driver = {
      held_by: claim.kind === "client" ? claim.clientId : "",
      since,
      note: "I will fix the merge",
      next: expect.stringContaining("terminal_claim") as string,
    };
    expect(await use("run", { command: "echo still" })).toMatchObject({ driver, exit_code: 0 });
    expect(await use("write", { text: "echo typed", submit: true })).toMatchObject({ driver });
    expect(await use("keys", { keys: ["Enter"] })).toMatchObject({ driver });
    expect(await use("read")).toMatchObject({ driver });
    expect(await use("signal")).toMatchObject({ driver });
    expect(await use("claim", { action: "take" })).toMatchObject({
      error: { code: "claim_held" },
      driver,
    });
    const back = await person.handBackClaim({ id, note: "fixed, go on" });
    expect(await use("screen")).toMatchObject({
      driver: { held_by: "you", since: back.since, note: "fixed, go on" },
    });
    expect(await use("screen")).not.toHaveProperty("driver");
  }, 60_000);

  test("F-S2: a request for control that nobody answers is told as pending, and stands", async () => {
    const { agent, person } = served;
    const { terminal_id } = await agent.get("terminal_create");
    const id = TerminalId.parse(terminal_id);
    await person.moveClaim({ id });
    const asked = { terminal_id, action: "request", yield_time_ms: 250 };
    expect(await agent.get("terminal_claim", asked)).toMatchObject({
      outcome: "pending",
      next: expect.stringContaining("held_by"),
    });
    const { terminals } = await person.listTerminals({});
    const [request] = terminals.find((one) => one.id === id)?.controlRequests ?? [];
    await person.answerControl({ id, requestId: request?.requestId ?? "", grant: true });
    expect(await agent.get("terminal_read", { terminal_id })).toMatchObject({
      driver: { held_by: "you" },
    });
  }, 60_000);
});

/** More than the grace time of a client that is gone, on a busy machine. */
const RELEASED_MS = 60_000;

test("F-S2: what a nacre mcp drove is free after the grace time, however it ended, and not while it lives", async () => {
  await using served = await serve("stdio");
  const { agent, home, person } = served;
  const driven = async () => {
    const { user, pid } = await ToolUser.overStdio(home);
    const { terminal_id } = await user.get("terminal_create");
    const { value } = await agent.use("terminal_read", { terminal_id });
    expect(value).toMatchObject({ driver: { held_by: `local#mcp-${pid}` } });
    return { user, pid, terminal_id };
  };
  const [killed, ended, closed] = [await driven(), await driven(), await driven()];
  process.kill(killed.pid, "SIGKILL");
  process.kill(ended.pid, "SIGTERM");
  await closed.user[Symbol.asyncDispose]();
  for (const { user, terminal_id } of [killed, ended, closed]) {
    const reason = async () =>
      (await person.readClaim({ id: TerminalId.parse(terminal_id) })).reason;
    await expect.poll(reason, { timeout: RELEASED_MS }).toBe("vanished");
    expect(await agent.get("terminal_claim", { terminal_id, action: "take" })).toMatchObject({
      outcome: "taken",
    });
    await user[Symbol.asyncDispose]();
  }
}, 90_000);

test("F-S2: a nacre mcp that nobody uses tells the next daemon that it is there", async () => {
  await using stack = new AsyncDisposableStack();
  const { path: home } = stack.use(makeHome());
  const env = environmentOf(home);
  stack.defer(async () => void (await runCli(["stop"], { home, env })));
  const first = await DaemonProcess.start({ home, env });
  const { user, pid } = await ToolUser.overStdio(home);
  stack.use(user);
  const { terminal_id } = await user.get("terminal_create");
  const arrivals = async (daemon: DaemonProcess): Promise<number> => {
    const { records } = await daemon.client().listAudit({ limit: 1000 });
    return records.filter(({ via, action }) => via === "ipc" && action === "connect").length;
  };
  expect(await arrivals(first)).toBe(1);
  await first.end("SIGKILL");
  const next = await DaemonProcess.start({ home, env, port: first.port });
  await expect.poll(() => arrivals(next), { timeout: RELEASED_MS }).toBe(2);
  const claim = await next.client().readClaim({ id: TerminalId.parse(terminal_id) });
  expect(claim).toMatchObject({ claim: { clientId: `local#mcp-${pid}` } });
}, 90_000);
