// What becomes of a question when the daemon is killed: the next one has it, and the answer gets to who asked.
import { afterAll, expect, test, vi } from "vitest";
import { isAlive } from "../support/is-alive.ts";
import { NacreHome } from "./nacre-home.ts";

const MAX_MS = 120_000;
vi.setConfig({ testTimeout: MAX_MS, hookTimeout: MAX_MS });

/** Long enough for a busy machine. */
const PATIENCE = { timeout: 30_000, interval: 100 };

const home = new NacreHome();
afterAll(() => home[Symbol.asyncDispose]());

interface Listed {
  readonly name?: string;
  readonly state: string;
  readonly inputRequests?: readonly { readonly requestId: string }[];
}

/** The open questions of a terminal; the daemon is started where none runs. */
async function questionsOf(name: string): Promise<string[]> {
  const { result } = await home.json("nacre ls");
  const listed = result?.["terminals"] as readonly Listed[];
  const terminal = listed.find((one) => one.name === name && one.state === "active");
  return (terminal?.inputRequests ?? []).map(({ requestId }) => requestId);
}

const pidOfDaemon = async (): Promise<number> =>
  Number((await home.json("nacre status")).result?.["pid"]);

/** Kills the daemon without a word; whoever needs one starts the next. */
async function killDaemon(): Promise<void> {
  const pid = await pidOfDaemon();
  process.kill(pid, "SIGKILL");
  await expect.poll(() => isAlive(pid), PATIENCE).toBe(false);
}

test("P-A2: a question outlives a daemon that is killed, and who asked and still waits gets the answer", async () => {
  await home.sh("nacre new -n waiting -- cat");
  const asking = home.sh("nacre ask waiting 'Deploy now?'");
  await expect.poll(() => questionsOf("waiting"), PATIENCE).toHaveLength(1);
  const [requestId] = await questionsOf("waiting");
  const first = await pidOfDaemon();
  await killDaemon();
  expect(await questionsOf("waiting")).toEqual([requestId]);
  expect(await pidOfDaemon()).not.toBe(first);
  const answered = await home.sh(`nacre answer waiting yes --request ${requestId}`);
  expect(answered).toMatchObject({ code: 0 });
  expect(await asking).toEqual({ code: 0, stdout: "yes\n", stderr: "" });
  expect(await questionsOf("waiting")).toEqual([]);
});

test("P-A2: an answer to who is gone is kept over a killed daemon, and read by the beginning of the id of the question", async () => {
  await home.sh("nacre new -n gone -- cat");
  const left = await home.sh("nacre ask gone 'Which branch?' --timeout 1ms");
  expect(left.code).toBe(11);
  const [requestId = ""] = await questionsOf("gone");
  expect(left.stderr).toContain(`--request ${requestId}`);
  await killDaemon();
  expect(await home.sh("nacre answer gone main")).toMatchObject({ code: 0 });
  await killDaemon();
  const fetched = await home.sh(`nacre ask gone --request ${requestId.slice(0, 8)}`);
  expect(fetched).toEqual({ code: 0, stdout: "main\n", stderr: "" });
});

test("P-A2: `ask --request` waits for an open question by the beginning of its id, and asks nothing itself", async () => {
  await home.sh("nacre new -n again -- cat");
  await home.sh("nacre ask again 'Deploy?' --choice yes --choice no --timeout 1ms");
  const [requestId = ""] = await questionsOf("again");
  const short = requestId.slice(0, 8);
  expect(await home.sh(`nacre ask again --request ${short} --timeout 1ms`)).toMatchObject({
    code: 11,
    stderr: expect.stringContaining(requestId),
  });
  const waiting = home.sh(`nacre ask again --request ${requestId}`);
  expect(await home.sh("nacre answer again no")).toMatchObject({ code: 0 });
  expect(await waiting).toEqual({ code: 0, stdout: "no\n", stderr: "" });
  const both = await home.sh(`nacre ask again 'And now?' --request ${requestId}`);
  expect(both).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("waits for an earlier question"),
  });
  expect(await home.sh("nacre ask")).toMatchObject({ code: 2 });
  expect(await questionsOf("again")).toEqual([]);
});
