import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { serveControlDirectory } from "../../packages/host/src/transports/files/serve-control-directory.ts";
import type { ControlOperations } from "../../packages/host/src/transports/files/session-operations.ts";
import { FileAgent, found } from "../support/file-agent.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { AGENT, openServed } from "./served-directory.ts";
import { writeInParallel } from "./writers.ts";

const FAST = { requestsPerSecond: 100_000, maxWaiting: 10_000 };

test("many writers at once each find their own answer, and each request is done once", async () => {
  const { done, answers, torn } = await writeInParallel({ writers: 20, requests: 100, seed: 1 });
  expect(done.size).toBe(100);
  expect([...done.values()].filter((count) => count !== 1)).toEqual([]);
  expect(answers).toBe(100);
  expect(torn).toBe(0);
});

test("an id is done once, whoever writes it again, also after a restart", async () => {
  await using served = await openServed({ limits: FAST });
  using place = ownDirectory();
  const { agent } = served;
  const log = `${place.path}/log`;
  const request = { request_id: "only-once", command: `echo x >> ${log}` };
  await agent.put("exec", request);
  await agent.answer("only-once");
  await agent.put("exec", request);
  await agent.ask("exec", { command: "true" });
  await served.restart();
  await agent.put("exec", request);
  await agent.ask("exec", { command: "true" });
  expect(await readFile(log, "utf8")).toBe("x\n");
});

test("what was done is not done again after a restart, what was written meanwhile is", async () => {
  await using served = await openServed({ limits: FAST });
  using place = ownDirectory();
  const { agent } = served;
  const log = `${place.path}/log`;
  await agent.put("exec", { command: `echo first >> ${log}` });
  await agent.result(({ ok }) => ok);
  await agent.until("status.json", ({ state }) => state === "done");
  await served.restart();
  expect((await agent.ask("read")).error?.code).toBe("invalid");
  expect(await readFile(log, "utf8")).toBe("first\n");
  await agent.put("exec", { command: `echo second >> ${log}` });
  await agent.result(({ operation, ok }) => operation === "exec" && ok);
  expect(await readFile(log, "utf8")).toBe("first\nsecond\n");
});

test("sessions are found again after a restart of the service", async () => {
  await using served = await openServed({ limits: FAST });
  const { agent } = served;
  await agent.ask("create", { session_id: "kept", shell: "bash", env: { HOME: "/nonexistent" } });
  await agent.ask("exec", { session_id: "kept", command: "x=42" });
  await served.restart();
  expect(agent.read("current.json").session.session_id).toBe("kept");
  const kept = await agent.ask("exec", { use_current: true, command: "echo $x" });
  expect(kept.result.text).toContain("42");
});

test("a request that ran when the service was killed is answered and not done again", async () => {
  using place = ownDirectory();
  const directory = `${place.path}/terminal`;
  const agent = new FileAgent(directory);
  const begun = Promise.withResolvers<void>();
  let calls = 0;
  const handleProblem = (): void => undefined;
  const call: ControlOperations["call"] = async (_name, _input, { signal }) => {
    calls += 1;
    begun.resolve();
    if (signal) await once(signal, "abort");
    throw new Error("nobody waits any more");
  };
  const operations = { call };
  await using _first = await serveControlDirectory({
    directory,
    caller: AGENT,
    operations,
    handleProblem,
  });
  await agent.put("exec", { request_id: "lost", command: "x" });
  await begun.promise;
  // What a killed process leaves behind: everything as it is now.
  const left = `${place.path}/killed`;
  await mkdir(left, { mode: 0o700 });
  for (const name of [".state.json", "control/exec.json"]) {
    await mkdir(`${left}/control`, { recursive: true, mode: 0o700 });
    await writeFile(`${left}/${name}`, readFileSync(`${directory}/${name}`));
  }
  await using _second = await serveControlDirectory({
    directory: left,
    caller: AGENT,
    operations,
    handleProblem,
  });
  const answer = await new FileAgent(left).answer("lost");
  expect(answer.error).toMatchObject({ code: "unavailable" });
  expect(calls).toBe(1);
});

test("only the newest answers are kept", async () => {
  await using served = await openServed({ limits: { ...FAST, maxAnswers: 3 } });
  const { agent } = served;
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) ids.push((await agent.ask("resume")).request_id);
  await agent.ask("resume");
  const kept = await readdir(agent.path("requests"));
  expect(kept.filter((name) => name.endsWith(".json")).length).toBeLessThanOrEqual(4);
  expect(kept).not.toContain(`${ids[0]}.json`);
});

test("a payload in pieces is one request", async () => {
  await using served = await openServed({ limits: { ...FAST, incompleteMs: 20_000 } });
  const { agent } = served;
  const path = agent.path("control", "exec.json");
  await rm(path);
  for (const piece of ['{"request_id":"pieces",', '"command":', '"echo whole"}']) {
    await appendFile(path, piece);
    // Long enough to be looked at in between.
    await agent.ask("resume");
  }
  expect((await agent.answer("pieces")).result.text).toBe("whole\n");
});

test("an id that was done is not done again when its answer is gone, and says so", async () => {
  await using served = await openServed({ limits: FAST });
  using place = ownDirectory();
  const { agent } = served;
  const log = `${place.path}/log`;
  const request = { request_id: "gone", command: `echo x >> ${log}` };
  await agent.put("exec", request);
  await agent.answer("gone");
  await agent.until("status.json", ({ state }) => state === "done");
  await rm(agent.path("requests", "gone.json"));
  await agent.put("exec", request);
  expect((await agent.answer("gone")).error).toMatchObject({
    code: "invalid",
    field: "request_id",
  });
  expect(await readFile(log, "utf8")).toBe("x\n");
});

test("a request that was written twice is not done after a restart when its answer is gone", async () => {
  await using served = await openServed({ limits: FAST });
  using place = ownDirectory();
  const { agent } = served;
  const [log, gate] = [`${place.path}/log`, `${place.path}/gate`];
  const request = { request_id: "again", command: `echo x >> ${log}; mkfifo ${gate}; cat ${gate}` };
  await agent.put("exec", request);
  await found(place.path, () => (existsSync(gate) ? { gate } : undefined));
  await agent.put("exec", request);
  await agent.ask("exec", { command: `echo on > ${gate}` });
  await agent.answer("again");
  await agent.ask("resume");
  await agent.put("exec", request);
  await agent.ask("resume");
  await rm(agent.path("requests", "again.json"));
  await served.restart();
  await agent.ask("resume");
  await agent.ask("resume");
  expect(await readFile(log, "utf8")).toBe("x\n");
});

test("a refusal is found by the id, wherever that stands", async () => {
  await using served = await openServed({ limits: FAST });
  const { agent } = served;
  await agent.put("invoke", { op: "nothing", arguments: { request_id: "inner" } });
  expect((await agent.answer("inner")).error).toMatchObject({ code: "invalid", field: "op" });
  await agent.put("invoke", { op: "exec", unknown: 1, args: { request_id: "other" } });
  expect((await agent.answer("other")).error).toMatchObject({ code: "invalid" });
});
