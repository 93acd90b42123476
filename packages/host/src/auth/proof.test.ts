import { createHash, createHmac } from "node:crypto";
import { parse } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ProofInput, Prover } from "./proof.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { makePrivateDirectory } from "./testing/private-directory.ts";
import { Tokens } from "./tokens.ts";

const NONCE = "n".repeat(22);
const HOST = "127.0.0.1:6227";
const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();

/** What a client does that knows the token. */
const askAbout = (token: string, nonce = NONCE) => ({
  credential: sha256(sha256(token)).toString("hex").slice(0, 16),
  nonce,
});
const expected = (token: string, nonce = NONCE) =>
  createHmac("sha256", sha256(token)).update(`${HOST}\n${nonce}`).digest("hex");

function makeProver() {
  const directory = makePrivateDirectory();
  const clock = new ManualClock();
  const tokens = new Tokens(directory.path, clock);
  return {
    clock,
    tokens,
    prover: new Prover(tokens),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

test("the host proves to know a token without being told it", () => {
  using made = makeProver();
  const { prover, tokens } = made;
  const agent = tokens.create({ name: "agent", scope: "agent" });
  for (const token of [tokens.operatorSecret, agent.token]) {
    expect(prover.prove(askAbout(token), HOST).proof).toBe(expected(token));
    expect(prover.prove(askAbout(token, "m".repeat(22)), HOST).proof).toBe(
      expected(token, "m".repeat(22)),
    );
  }
});

test("a proof is good for the address that was asked, and for no other", () => {
  using made = makeProver();
  const { prover, tokens } = made;
  const asked = askAbout(tokens.operatorSecret);
  expect(prover.prove(asked, "127.0.0.1:6228")).not.toEqual(prover.prove(asked, HOST));
});

test("of a token it does not know it answers in the same form, always the same, and never right", () => {
  using made = makeProver();
  const { prover } = made;
  const unknown = `nacre_${"u".repeat(43)}`;
  const { proof } = prover.prove(askAbout(unknown), HOST);
  expect(proof).toMatch(/^[0-9a-f]{64}$/);
  expect(prover.prove(askAbout(unknown), HOST).proof).toBe(proof);
  expect(prover.prove(askAbout(unknown, "m".repeat(22)), HOST).proof).not.toBe(proof);
  expect(proof).not.toBe(expected(unknown));
  using other = makeProver();
  expect(other.prover.prove(askAbout(unknown), HOST).proof).not.toBe(proof);
});

test("an expired or rotated token is proven no more", () => {
  using made = makeProver();
  const { prover, tokens, clock } = made;
  const expiresAt = new Date(clock.now() + 1).toISOString();
  const short = tokens.create({ name: "short", scope: "agent", expiresAt });
  const old = tokens.operatorSecret;
  tokens.rotate("operator");
  clock.advance(1);
  for (const token of [short.token, old]) {
    expect(prover.prove(askAbout(token), HOST).proof).not.toBe(expected(token));
  }
});

test.each([
  { credential: "0123456789abcdef", nonce: "short" },
  { credential: "0123456789ABCDEF", nonce: NONCE },
  { credential: "0123456789abcde", nonce: NONCE },
  { credential: "0123456789abcdef", nonce: "n".repeat(129) },
  { credential: "0123456789abcdef", nonce: `${NONCE} ` },
  { credential: "0123456789abcdef", nonce: NONCE, token: "x" },
])("%j is not a question", (input) => {
  expect(() => parse(ProofInput, input)).toThrow(/credential|nonce|token/);
});
