import { OPERATIONS, TerminalId } from "@nacre/contracts";
import { expect, test, vi } from "vitest";
import { createClient, type Send } from "./client.ts";

const id = TerminalId.parse("terminal:a1");
const query = { terminalId: id, limit: 5 };
const page = { entries: [], truncated: false };

test("a request is sent under its name and its answer comes back", async () => {
  const send = vi.fn<Send>(async () => page);
  const answer = await createClient(send).findRecordingEntries(query);
  expect(send).toHaveBeenCalledWith("findRecordingEntries", query);
  expect(answer).toEqual(page);
});

test("a request that the host would refuse is not sent", async () => {
  const send = vi.fn<Send>(async () => page);
  await expect(createClient(send).sendInput({ id, cols: 80 })).rejects.toMatchObject({
    code: "invalid_argument",
    field: "rows",
  });
  expect(send).not.toHaveBeenCalled();
});

test("what a newer host says beyond what is known is left out", async () => {
  const client = createClient(async () => ({ ...page, surprise: 1 }));
  expect(await client.findRecordingEntries(query)).toEqual(page);
});

test("an answer of another shape is refused, and the caller is not blamed", async () => {
  const client = createClient(async () => ({ ...page, truncated: "no", surprise: 1 }));
  await expect(client.findRecordingEntries(query)).rejects.toMatchObject({
    code: "unexpected_answer",
    message: expect.stringMatching(/^truncated: /) as string,
  });
});

test("every operation of the table has its method", () => {
  expect(Object.keys(createClient(async () => page))).toEqual(Object.keys(OPERATIONS));
});
