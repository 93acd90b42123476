import { expect, test } from "vitest";
import { NewAuditRecord } from "./audit.ts";
import { RequestControlInput } from "./claim-requests.ts";
import { parse } from "./parse.ts";
import { MAX_INPUT_BYTES } from "./send-input.ts";
import { PasteTextInput } from "./terminal-requests.ts";
import { CreateTicketInput, CreateTokenInput, TokenName } from "./token.ts";

const id = "terminal:a1";
const owner = { entityName: "Agent", entityId: "ci" };

test.each([
  ["too many characters", "x".repeat(MAX_INPUT_BYTES + 1), "payload_too_large"],
  ["too many bytes", "ä".repeat(MAX_INPUT_BYTES / 2 + 1), "payload_too_large"],
  ["half a character", "\ud800", "invalid_argument"],
])("text with %s is not pasted", (_what, text, code) => {
  expect(() => parse(PasteTextInput, { id, text })).toThrow(
    expect.objectContaining({ code, field: "text" }),
  );
});

test("as much text as fits is pasted", () => {
  const input = { id, text: "ä".repeat(MAX_INPUT_BYTES / 2) };
  expect(parse(PasteTextInput, input)).toEqual(input);
});

test.each(["a", "ci-2.main", "A_b"])("%s names a token", (name) => {
  expect(TokenName.safeParse(name).success).toBe(true);
});

test.each(["", ".hidden", "-x", "a/b", "a b", "a#b", "x".repeat(65)])(
  "%j names no token",
  (name) => {
    expect(TokenName.safeParse(name).success).toBe(false);
  },
);

test.each([
  ["owner", { owner }],
  ["roots", { roots: ["/srv"] }],
])("only an agent's token has %s", (field, more) => {
  expect(parse(CreateTokenInput, { name: "ci", scope: "agent", ...more })).toMatchObject(more);
  expect(() => parse(CreateTokenInput, { name: "ci", scope: "readOnly", ...more })).toThrow(
    expect.objectContaining({ code: "invalid_argument", field }),
  );
});

test.each(["api/events", "/api/events?x=1", "/a#b", "/a b", "/ä"])(
  "a ticket is not made for %j",
  (path) => {
    expect(CreateTicketInput.safeParse({ path }).success).toBe(false);
  },
);

test("a request for control that lapses at once is refused", () => {
  expect(() => parse(RequestControlInput, { id, timeoutMs: 0 })).toThrow(
    expect.objectContaining({ field: "timeoutMs" }),
  );
});

test("the facts of an audit record stay small", () => {
  const record = {
    occurredAt: "2026-01-31T09:30:00.000Z",
    via: "http",
    action: "sendInput",
    outcome: "claim_held",
  };
  expect(NewAuditRecord.safeParse({ ...record, facts: { bytes: 3 } }).success).toBe(true);
  const facts = { bytes: "x".repeat(4096) };
  expect(NewAuditRecord.safeParse({ ...record, facts }).success).toBe(false);
  expect(NewAuditRecord.safeParse({ ...record, outcome: "it failed" }).success).toBe(false);
});
