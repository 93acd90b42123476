import { createHash } from "node:crypto";
import { type OperationName, OPERATIONS, TerminalId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { AUDIT_FACTS, AuditDigest, INPUT_AUDIT_FACTS } from "./audit-facts.ts";

const id = TerminalId.parse("terminal:a1");
const digest = new AuditDigest();

test("bytes are counted after they are decoded, and told by their digest", () => {
  const data = Buffer.from("pässword").toString("base64");
  expect(INPUT_AUDIT_FACTS.sendInput?.({ id, data, encoding: "base64" }, digest)).toEqual({
    bytes: 9,
    digest: digest.of("pässword"),
  });
});

test("keys are counted, and a size is told whatever becomes of them", () => {
  const input = { id, keys: ["h", "i"], cols: 80, rows: 24 };
  expect(AUDIT_FACTS.sendInput?.(input, digest)).toEqual({ cols: 80, rows: 24 });
  expect(INPUT_AUDIT_FACTS.sendInput?.(input, digest)).toEqual({
    keys: 2,
    bytes: 3,
    digest: digest.of("h i"),
  });
});

test("a program is told by its digest, and a plain shell by nothing", () => {
  const asked = { command: "curl", args: ["-u", "me:secret"] };
  expect(AUDIT_FACTS.createTerminal?.(asked, digest)).toEqual({
    bytes: 17,
    digest: digest.of("curl\0-u\0me:secret"),
  });
  expect(AUDIT_FACTS.createTerminal?.({ shell: "bash" }, digest)).toEqual({});
});

test("a digest tells what is the same, and cannot be made without the key", () => {
  const [one, other] = [digest.of("1234"), digest.of("1235")];
  expect(digest.of(Buffer.from("1234"))).toBe(one);
  expect(digest.begin().update("12").update("34").digest("hex")).toBe(one);
  expect(other).not.toBe(one);
  expect(one).not.toBe(createHash("sha256").update("1234").digest("hex"));
  expect(new AuditDigest().of("1234")).not.toBe(one);
  expect(JSON.stringify(digest)).toBe("{}");
});

test("only changes have facts", () => {
  const told = [AUDIT_FACTS, INPUT_AUDIT_FACTS].flatMap((table) => Object.keys(table));
  const asking = told.filter((name) => !OPERATIONS[name as OperationName].mutates);
  expect(asking).toEqual([]);
});
