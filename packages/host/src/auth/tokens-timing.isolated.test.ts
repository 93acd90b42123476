import type * as Crypto from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { makePrivateDirectory } from "./testing/private-directory.ts";
import { Tokens } from "./tokens.ts";

const compared = vi.hoisted(() => ({ count: 0 }));

vi.mock("node:crypto", async (importOriginal) => {
  const crypto = await importOriginal<typeof Crypto>();
  const timingSafeEqual: typeof crypto.timingSafeEqual = (one, other) => {
    compared.count += 1;
    return crypto.timingSafeEqual(one, other);
  };
  return { ...crypto, timingSafeEqual };
});

afterEach(() => {
  compared.count = 0;
});

test("every token is compared in constant time, whether one fits, which, or none", () => {
  using directory = makePrivateDirectory();
  const tokens = new Tokens(directory.path);
  const names = ["a", "b", "c"];
  const secrets = names.map((name) => tokens.create({ name, scope: "agent" }).token);
  const shown = [tokens.operatorSecret, ...secrets, "", `${secrets[0]?.slice(0, -1)}_`, "nacre_"];
  const counts = shown.map((secret) => {
    compared.count = 0;
    tokens.verify(secret);
    return compared.count;
  });
  expect(counts).toEqual(shown.map(() => names.length + 1));
});
