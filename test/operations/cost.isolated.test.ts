// What a request costs is what the caller may see.
import type { DatabaseSync } from "node:sqlite";
import { NacreError } from "@nacre/contracts";
import { afterAll, expect, test, vi } from "vitest";
import { terminalRow } from "../../packages/host/src/testing/terminal-row.ts";
import { agentNamed, Rig } from "./tools.ts";

const rig = await Rig.open();
afterAll(() => rig[Symbol.asyncDispose]());

test("R-7: an agent without recordings makes nobody read those of others", async () => {
  const { recordings } = rig.host;
  for (let count = 0; count < 1500; count++) await recordings.create(terminalRow(`other${count}`));
  const list = vi.spyOn(recordings, "listTerminals");
  const empty = await rig.ask("listRecordings", {}, agentNamed("mallory"));
  expect(empty).toEqual({ recordings: [], truncated: false });
  const answers = await Promise.all(list.mock.results.map(({ value }) => value as Promise<[]>));
  expect(answers).toEqual([[]]);
});

test("R-7: an owner's recordings are found by an index", async () => {
  const { DatabaseSync } = await import("node:sqlite");
  using database: DatabaseSync = new DatabaseSync(rig.storePath, { readOnly: true });
  const plan = (order: string): unknown =>
    database
      .prepare(
        `EXPLAIN QUERY PLAN SELECT id FROM terminal WHERE owner_name = ?2 AND owner_id = ?3 AND ${order}`,
      )
      .all(0, "Agent", "mallory")
      .map(({ detail }) => detail);
  const byIndex =
    /^SEARCH terminal USING (?:COVERING )?INDEX terminal_of_owner \(owner_name=\? AND owner_id=\? AND rowid/;
  expect(plan("number > ?1 ORDER BY number")).toEqual([expect.stringMatching(byIndex)]);
  expect(plan("number < ?1 ORDER BY number DESC")).toEqual([expect.stringMatching(byIndex)]);
});

test("R-7: a caller has a few proofs at once, and others have theirs", async () => {
  const [alice, bob] = [agentNamed("alice"), agentNamed("bob")];
  const ids = {
    alice: await rig.createEnded("echo a", alice),
    bob: await rig.createEnded("echo b", bob),
  };
  const asked = Array.from({ length: 5 }, () =>
    rig.ask("verifyRecording", { id: ids.alice }, alice),
  );
  const others = rig.ask("verifyRecording", { id: ids.bob }, bob);
  const settled = await Promise.allSettled(asked);
  const refused = settled.filter((one) => one.status === "rejected");
  expect(refused.length).toBe(3);
  for (const { reason } of refused) {
    expect(reason).toBeInstanceOf(NacreError);
    expect(reason).toMatchObject({ code: "limit_reached" });
  }
  await expect(others).resolves.toMatchObject({ ok: true });
  await expect(rig.ask("verifyRecording", { id: ids.alice }, alice)).resolves.toMatchObject({
    ok: true,
  });
});
