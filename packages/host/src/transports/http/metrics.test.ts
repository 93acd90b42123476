import { expect, test } from "vitest";
import { admissionOf, startRouter } from "./testing/router-rig.ts";

const HOST = {
  terminals: { running: 3, listed: 4, utilisation: 0.3 },
  limits: { maxTerminals: 10, maxPerOwner: 10, maxCreatesPerSecond: 1 },
  storage: { state: "full", freeBytes: 5, reserveBytes: 7 },
};

const metrics = {
  connections: () => new Map([["http", 2]]),
  refusals: () => new Map([['odd "code"\\\n', 5]]),
};

test("figures are written in the form that Prometheus reads", async () => {
  await using rig = await startRouter({ metrics });
  rig.operations.answer = () => HOST;
  await rig.fetch("/api/terminals");
  await rig.fetch("/nothing/here");
  const response = await rig.fetch("/metrics");
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  const lines = text.split("\n");
  for (const line of [
    "nacre_terminals_running 3",
    "nacre_terminals_max 10",
    'nacre_connections{kind="http"} 2',
    'nacre_connections{kind="eventStream"} 0',
    'nacre_http_requests_total{operation="listTerminals",status="200"} 1',
    'nacre_http_requests_total{operation="unknown",status="404"} 1',
    String.raw`nacre_refusals_total{code="odd \"code\"\\\n"} 5`,
    "nacre_recorder_ok 0",
    'nacre_storage_state{state="full"} 1',
    "nacre_storage_free_bytes 5",
  ]) {
    expect(lines).toContain(line);
  }
  expect(text).toMatch(/^nacre_process_memory_bytes\{kind="rss"\} [1-9][0-9]+$/m);
  expect(text).toMatch(/^nacre_event_loop_delay_seconds\{kind="p99"\} [0-9.e-]+$/m);
  expect(text).toMatch(/^nacre_http_sent_bytes_total [1-9][0-9]*$/m);
  for (const line of lines.filter(Boolean)) {
    expect(line).toMatch(/^(# (HELP|TYPE) nacre_\w+ .+|nacre_\w+(\{.*\})? [0-9.e+-]+)$/);
  }
});

test("figures of the whole host are not for an agent", async () => {
  await using rig = await startRouter();
  rig.operations.answer = () => HOST;
  rig.admission = admissionOf("agent");
  expect((await rig.fetch("/metrics")).status).toBe(403);
  rig.admission = admissionOf("readOnly");
  expect((await rig.fetch("/metrics")).status).toBe(200);
});

test("open event streams are counted", async () => {
  await using rig = await startRouter();
  rig.operations.answer = () => HOST;
  const opened = rig.operations.nextFeed<"entityEvents">();
  const leave = new AbortController();
  await rig.fetch("/api/events?channel=*", { signal: leave.signal });
  const feed = await opened;
  const count = async () =>
    /kind="eventStream"\} (\d+)/.exec(await (await rig.fetch("/metrics")).text())?.[1];
  expect(await count()).toBe("1");
  leave.abort();
  await feed.ended.promise;
  await expect.poll(count).toBe("0");
});
