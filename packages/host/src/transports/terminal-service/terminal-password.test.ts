import { expect, test } from "vitest";
import { TERMINAL_TOKEN_MS, TerminalPassword } from "./terminal-password.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";

function makePassword(password?: string) {
  const clock = new ManualClock();
  return { clock, gate: new TerminalPassword({ password, clock }) };
}

test("without a password anybody may in", () => {
  for (const { gate } of [makePassword(), makePassword("")]) {
    expect(gate.isRequired).toBe(false);
    expect(gate.isLoggedIn(undefined)).toBe(true);
  }
});

test("the right password gives a token for a day", () => {
  const { gate, clock } = makePassword("correct horse");
  const { token, expiresInMs } = gate.login("correct horse", "here");
  expect(token).toMatch(/^term-[A-Za-z0-9_-]{43}$/);
  expect(expiresInMs).toBe(TERMINAL_TOKEN_MS);
  expect(gate.isLoggedIn(token)).toBe(true);
  clock.advance(TERMINAL_TOKEN_MS);
  expect(gate.isLoggedIn(token)).toBe(false);
});

test("a wrong password or token lets nobody in", () => {
  const { gate } = makePassword("correct horse");
  expect(() => gate.login("correct hors", "here")).toThrow("Invalid password");
  expect(() => gate.login("", "here")).toThrow("Invalid password");
  expect(
    [undefined, "", "term-", `term-${"a".repeat(43)}`].map((token) => gate.isLoggedIn(token)),
  ).toEqual([false, false, false, false]);
});

test("logging out ends one login and no other", () => {
  const { gate } = makePassword("p");
  const [one, other] = [gate.login("p", "here"), gate.login("p", "here")];
  gate.logout(one.token);
  gate.logout("term-unknown");
  expect([gate.isLoggedIn(one.token), gate.isLoggedIn(other.token)]).toEqual([false, true]);
});

test("after five wrong ones a source has to wait a minute, even with the right one", () => {
  const { gate, clock } = makePassword("p");
  for (let count = 0; count < 5; count += 1) {
    expect(() => gate.login("wrong", "here")).toThrow("Invalid password");
  }
  expect(() => gate.login("p", "here")).toThrow("too many wrong passwords");
  expect(gate.login("p", "elsewhere").token).toMatch(/^term-/);
  clock.advance(60_000);
  expect(gate.login("p", "here").token).toMatch(/^term-/);
});

test("what is thrown never has the password in it", () => {
  const { gate } = makePassword("hunter2-right");
  const thrown = Array.from({ length: 8 }, () => {
    try {
      return gate.login("hunter2-wrong", "here");
    } catch (error) {
      return error;
    }
  });
  expect(thrown.map(String).join()).not.toContain("hunter2");
});
