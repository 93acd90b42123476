import { connect } from "@nacre/client";
import { afterEach, expect, test, vi } from "vitest";
import { RecordingRows } from "./recording-rows.ts";

const row = (id: string) => ({
  id: `terminal:${id}`,
  owner: { entityName: "Task", entityId: "1" },
  createdAt: "2026-01-31T09:30:00.000Z",
  workingDirectory: "/tmp",
});

afterEach(() => vi.unstubAllGlobals());

test("what two reads bring at once is listed once", async () => {
  const answers: ((rows: readonly string[]) => void)[] = [];
  vi.stubGlobal("fetch", async () => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    answers.push(resolve);
    return Response.json({ recordings: (await promise).map(row), truncated: false });
  });
  const client = connect({ url: "http://localhost", token: "t" });
  using list = new RecordingRows(client, undefined);
  const reads = [list.readNew(), list.readNew()];
  await expect.poll(() => answers).toHaveLength(2);
  for (const answer of answers) answer(["b", "a"]);
  await Promise.all(reads);
  expect(list.rows.value.map(({ id }) => id)).toEqual(["terminal:b", "terminal:a"]);
});
