// What a request costs is what the caller may see.
import type { DatabaseSync } from "node:sqlite";
import { NacreError } from "@nacre/contracts";
import { afterAll, expect, test, vi } from "vitest";
import { terminalRow } from "../../packages/host/src/testing/terminal-row.ts";
import { agentNamed, OperationsRig } from "./operations-rig.ts";

const rig = await OperationsRig.open();
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

test("R-4: whoever has a screen of the past drawn is named to the queue, and who leaves frees it", async () => {
  const mallory = agentNamed("mallory");
  const id = await rig.createEnded("echo one; echo two", mallory);
  const { screens, operations } = rig.host;
  const drawn = [vi.spyOn(screens, "draw"), vi.spyOn(screens, "drawAndSave")] as const;
  const leaving = new AbortController();
  const context = { caller: mallory, via: "library", signal: leaving.signal } as const;
  await operations.call("readScreen", { id }, context);
  await operations.call("readScreen", { id, at: 2 }, context);
  await operations.call("readTerminal", { id }, context);
  const until = [{ kind: "screenStable", quietMs: 20 }];
  await operations.call("waitFor", { id, until }, context);
  const feed = await operations.follow("terminalFeed", { id }, context);
  await feed.next();
  using attached = await operations.attach(id, {}, context);
  await attached.next();
  const requesters = drawn.flatMap(({ mock }) => mock.calls.map(([{ requester }]) => requester));
  expect(requesters.length).toBeGreaterThanOrEqual(6);
  expect(new Set(requesters.map((requester) => requester?.caller))).toEqual(new Set(["mallory"]));
  leaving.abort();
  expect(requesters.map((requester) => requester?.signal?.aborted)).not.toContain(false);
});
