import { expect, test } from "vitest";
import { MAX_RECORDS_PER_SECOND } from "./audit.ts";
import { startGuarded } from "./testing/guarded-server.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { exchange, requestOf, WEBSOCKET_HEADERS } from "./testing/raw-http.ts";

const GET = "GET /api/terminals";

test("refusals are audited at a bounded rate, and the rest is counted", async () => {
  const clock = new ManualClock();
  await using server = await startGuarded({ clock });
  const refuse = () => exchange(server.to, requestOf(GET, [server.host]));
  const many = MAX_RECORDS_PER_SECOND + 5;
  await Promise.all(Array.from({ length: many }, refuse));
  expect(server.records).toHaveLength(MAX_RECORDS_PER_SECOND);
  clock.advance(1000);
  await refuse();
  expect(server.records.at(-1)?.facts).toMatchObject({ unwritten: 5, reason: "credential" });
});

test("nothing that was sent is in the audit", async () => {
  await using server = await startGuarded();
  const canary = `nacre_${"Q".repeat(43)}`;
  await exchange(
    server.to,
    requestOf(`GET /${canary}?token=${canary}`, [
      server.host,
      `Authorization: Bearer ${canary}`,
      `X-A: ${canary}`,
    ]),
  );
  await exchange(server.to, requestOf(`GET /?tkn=${canary}`, [server.host, ...WEBSOCKET_HEADERS]));
  expect(server.records).toHaveLength(2);
  expect(JSON.stringify(server.records)).not.toContain("QQQQ");
});
