import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TerminalId } from "@nacre/contracts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { caller } from "../claim/testing/callers.ts";
import { QuestionStore } from "./question-store.ts";

const A = TerminalId.parse("terminal:a");
const B = TerminalId.parse("terminal:b");
const asker = caller("bot", "agent", { client: "mcp-1" });
const request = {
  requestId: "r1",
  by: asker.id,
  prompt: "Deploy?",
  kind: "answer",
  secret: false,
  askedAt: "2026-01-31T09:30:00.000Z",
} as const;

let directory: string;
let problems: unknown[] = [];
const open = (): QuestionStore => new QuestionStore(directory, (error) => problems.push(error));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nacre-questions-"));
  problems = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

test("P-A2: the next host knows what was open, and nothing of terminals that did not go on", () => {
  const before = open();
  before.save(A, [{ request, asker }]);
  before.save(B, [{ request, asker }]);
  expect(statSync(join(directory, "questions.json")).mode & 0o777).toBe(0o600);
  const after = open();
  expect(after.of(A)).toEqual([{ request, asker }]);
  after.retain((id) => id === A);
  expect(open().of(B)).toEqual([]);
  after.save(A, []);
  expect(readdirSync(directory)).toEqual([]);
  expect(problems).toEqual([]);
});

test("the next host knows the answer that nobody fetched", () => {
  const answer = { outcome: "answered", text: "yes", by: asker.id } as const;
  const ended = { answer, endedAt: request.askedAt, isDismissed: false };
  open().save(A, [{ request, asker, ended }]);
  expect(open().of(A)).toEqual([{ request, asker, ended }]);
  expect(problems).toEqual([]);
});

test("a file that cannot be read is reported, and is no question", () => {
  writeFileSync(join(directory, "questions.json"), "{");
  expect(open().of(A)).toEqual([]);
  expect(problems).toHaveLength(1);
});
