import { CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { InputRedactor, type InputChunk } from "./input-redactor.ts";

const ann = CallerId.parse("ann");
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const typed = (text: string, fields: Partial<InputChunk> = {}): InputChunk => ({
  data: bytes(text),
  by: ann,
  isSecret: false,
  ...fields,
});
const ASKING = { isSecret: true };
const secret = (lengthBucket: string) => ({ type: "input", by: ann, redacted: true, lengthBucket });
const shown = (text: string) => ({ type: "input", by: ann, data: bytes(text) });

test("input is recorded with who sent it", () => {
  const redactor = new InputRedactor("full");
  expect(redactor.take(typed("ls\r", { literal: false }))).toEqual([
    { ...shown("ls\r"), literal: false },
  ]);
  expect(redactor.take(typed("x", { by: undefined }))).toEqual([
    { type: "input", data: bytes("x") },
  ]);
});

test("a secret is withheld", () => {
  const redactor = new InputRedactor("full");
  expect(redactor.take(typed("hunter2\r", ASKING))).toEqual([secret("1-8")]);
});

test("the keys of a secret are counted together, so that their number does not tell its length", () => {
  const redactor = new InputRedactor("full");
  const keys = "correct horse battery"
    .split("")
    .flatMap((key) => redactor.take(typed(key, ASKING)));
  expect(keys).toEqual([]);
  expect(redactor.take(typed("\r", ASKING))).toEqual([secret("9-32")]);
});

test("a secret that is not ended is withheld all the same", () => {
  const redactor = new InputRedactor("full");
  redactor.take(typed("hunt", ASKING));
  expect(redactor.take(typed("x"))).toEqual([secret("1-8"), shown("x")]);
  redactor.take(typed("hunt", ASKING));
  expect(redactor.flush()).toEqual([secret("1-8")]);
  expect(redactor.flush()).toEqual([]);
});

test.each(["full", "lines", "counts"] as const)(
  "a secret is withheld under the policy %s",
  (policy) => {
    const redactor = new InputRedactor(policy);
    const input = typed("k3y\r", ASKING);
    expect(redactor.take(input)).toEqual([secret("1-8")]);
  },
);

test("with the policy lines, a line is one entry, and who typed it is kept apart", () => {
  const redactor = new InputRedactor("lines");
  const bob = CallerId.parse("bob");
  expect(redactor.take(typed("l"))).toEqual([]);
  expect(redactor.take(typed("s\r"))).toEqual([shown("ls\r")]);
  redactor.take(typed("half"));
  expect(redactor.take(typed("x\r", { by: bob }))).toEqual([
    shown("half"),
    { type: "input", by: bob, data: bytes("x\r") },
  ]);
});

test("a line without end is not kept for ever", () => {
  const redactor = new InputRedactor("lines");
  const piece = "y".repeat(40_000);
  expect(redactor.take(typed(piece))).toEqual([]);
  expect(redactor.take(typed(piece))[0]?.data?.byteLength).toBe(40_000);
  expect(redactor.take(typed("z".repeat(500_000))).map(({ data }) => data?.byteLength)).toEqual([
    40_000, 500_000,
  ]);
});

test("with the policy counts, nothing but the range of its length is recorded", () => {
  expect(new InputRedactor("counts").take(typed("echo hello"))).toEqual([secret("9-32")]);
});

test("with the policy off, nothing is recorded, not even a secret", () => {
  const redactor = new InputRedactor("off");
  expect(redactor.take(typed("a\r"))).toEqual([]);
  expect(redactor.take(typed("a\r", ASKING))).toEqual([]);
  expect(redactor.flush()).toEqual([]);
});
