import {
  chmodSync,
  linkSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { TokenInfo, parse } from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { makePrivateDirectory } from "./testing/private-directory.ts";
import { TOKEN_PATTERN, Tokens } from "./tokens.ts";

function makeTokens() {
  const directory = makePrivateDirectory();
  const clock = new ManualClock();
  const at = (name: string): string => join(directory.path, name);
  const open = (): Tokens => new Tokens(directory.path, clock);
  return { clock, at, open, tokens: open(), [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const inMs = (clock: ManualClock, ms: number): string => new Date(clock.now() + ms).toISOString();

describe("the operator's token", () => {
  test("is there from the start and the same over restarts", () => {
    using made = makeTokens();
    const { tokens, open, at } = made;
    const secret = tokens.operatorSecret;
    expect(secret).toMatch(TOKEN_PATTERN);
    expect(readFileSync(at("token"), "utf8")).toBe(`${secret}\n`);
    const again = open();
    expect(again.operatorSecret).toBe(secret);
    expect(again.verify(secret)).toEqual({
      caller: { id: "operator", scope: "operator" },
      credential: { name: "operator" },
    });
  });

  test("can be rotated, and the old secret is dead after a restart too", () => {
    using made = makeTokens();
    const { tokens, open } = made;
    const old = tokens.operatorSecret;
    const { token } = tokens.rotate("operator");
    expect(tokens.operatorSecret).toBe(token);
    for (const each of [tokens, open()]) {
      expect(each.verify(old)).toBeUndefined();
      expect(each.verify(token)?.caller.id).toBe("operator");
    }
  });

  test("cannot be revoked or made twice", () => {
    using made = makeTokens();
    const { tokens } = made;
    expect(() => tokens.revoke("operator")).toThrow("cannot be revoked");
    expect(() => tokens.create({ name: "operator", scope: "operator" })).toThrow("exists");
  });

  test("whose two files do not fit together gets a new secret", () => {
    using made = makeTokens();
    const { tokens, open, at } = made;
    const old = tokens.operatorSecret;
    writeFileSync(at("token"), `nacre_${"s".repeat(43)}\n`);
    const again = open();
    expect(again.verify(old)).toBeUndefined();
    expect(again.verify(`nacre_${"s".repeat(43)}`)).toBeUndefined();
    expect(again.verify(again.operatorSecret)?.caller.id).toBe("operator");
  });

  test("stays when the list of tokens is lost", () => {
    using made = makeTokens();
    const { tokens, open, at } = made;
    unlinkSync(at("tokens.json"));
    expect(open().verify(tokens.operatorSecret)?.caller.scope).toBe("operator");
  });
});

describe("a named token", () => {
  test("stands for a caller of its name and scope, after a restart too", () => {
    using made = makeTokens();
    const { tokens, open } = made;
    const owner = { entityName: "Task", entityId: "7" };
    const roots = ["/srv/project"];
    const agent = tokens.create({ name: "worker.1", scope: "agent", owner, roots });
    const reader = tokens.create({ name: "screen", scope: "readOnly" });
    for (const each of [tokens, open()]) {
      expect(each.verify(agent.token)?.caller).toEqual({
        id: "worker.1",
        scope: "agent",
        owner,
        roots,
      });
      expect(each.verify(reader.token)?.caller).toEqual({ id: "screen", scope: "readOnly" });
    }
  });

  test("of an agent has an owner of its own where none is named", () => {
    using made = makeTokens();
    const { token, info } = made.tokens.create({ name: "worker", scope: "agent" });
    const owner = { entityName: "Agent", entityId: "worker" };
    expect(info.owner).toEqual(owner);
    expect(made.tokens.verify(token)?.caller.owner).toEqual(owner);
  });

  test("is kept as a hash; its secret is in no file and no list", () => {
    using made = makeTokens();
    const { tokens, at } = made;
    const { token, info } = tokens.create({ name: "worker", scope: "agent" });
    const kept = readFileSync(at("tokens.json"), "utf8") + JSON.stringify([tokens.list(), info]);
    expect(kept).not.toContain(token.slice("nacre_".length));
    expect(kept).not.toContain(tokens.operatorSecret.slice("nacre_".length));
    expect([at("tokens.json"), at("token")].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o600, 0o600,
    ]);
  });

  test("is listed in the order of creation, with its last use", () => {
    using made = makeTokens();
    const { tokens, clock } = made;
    const { token } = tokens.create({ name: "b", scope: "agent" });
    tokens.create({ name: "a", scope: "readOnly", expiresAt: inMs(clock, 5000) });
    clock.advance(10);
    tokens.verify(token);
    expect(tokens.list().map((info) => parse(TokenInfo, info))).toMatchObject([
      { name: "operator" },
      { name: "b", lastUsedAt: inMs(clock, 0) },
      { name: "a", expiresAt: inMs(clock, 4990) },
    ]);
  });

  test("cannot have a name that stands for somebody else", () => {
    using made = makeTokens();
    const { tokens } = made;
    tokens.create({ name: "worker", scope: "agent" });
    expect(() => tokens.create({ name: "worker", scope: "operator" })).toThrow("exists");
    for (const name of ["host", "local"]) {
      expect(() => tokens.create({ name, scope: "agent" })).toThrow(`the name ${name} is reserved`);
    }
    expect(() => tokens.rotate("nobody")).toThrow("no token is named nobody");
    expect(() => tokens.revoke("nobody")).toThrow("no token is named nobody");
  });

  test("is good until it expires, and is announced then as if it were revoked", () => {
    using made = makeTokens();
    const { tokens, clock } = made;
    const announced: string[] = [];
    tokens.onRevoked((name) => announced.push(name));
    const expiresAt = inMs(clock, 3 * 60_000);
    const { token } = tokens.create({ name: "short", scope: "agent", expiresAt });
    tokens.create({ name: "long", scope: "agent", expiresAt: inMs(clock, 9 * 60_000) });
    clock.advance(3 * 60_000 - 1);
    expect(tokens.verify(token)?.caller.id).toBe("short");
    clock.advance(1);
    expect(tokens.verify(token)).toBeUndefined();
    expect(announced).toEqual(["short"]);
    clock.advance(60 * 60_000);
    expect(announced).toEqual(["short", "long"]);
    expect(clock.timersWaiting).toBe(0);
    expect(() => tokens.create({ name: "past", scope: "agent", expiresAt })).toThrow("has passed");
  });

  test("is dead at once when it is revoked or rotated, and whoever listens is told", () => {
    using made = makeTokens();
    const { tokens, open } = made;
    const [one, other] = ["one", "other"].map((name) => tokens.create({ name, scope: "agent" }));
    const announced: string[] = [];
    const stop = tokens.onRevoked((name) => announced.push(name));
    tokens.revoke("one");
    const { token } = tokens.rotate("other");
    stop();
    tokens.rotate("other");
    expect(announced).toEqual(["one", "other"]);
    for (const dead of [one!.token, other!.token, token]) {
      expect(tokens.verify(dead)).toBeUndefined();
      expect(open().verify(dead)).toBeUndefined();
    }
  });

  test("is dead at once although its file cannot be written, and for ever once that is repeated", () => {
    using made = makeTokens();
    const { tokens, open, at } = made;
    const { token } = tokens.create({ name: "worker", scope: "agent" });
    const announced: string[] = [];
    tokens.onRevoked((name) => announced.push(name));
    linkSync(at("tokens.json"), at("other name"));
    expect(() => tokens.revoke("worker")).toThrow("after a restart it would be valid again");
    expect(tokens.verify(token)).toBeUndefined();
    unlinkSync(at("other name"));
    tokens.revoke("worker");
    expect(open().verify(token)).toBeUndefined();
    expect(announced).toEqual(["worker"]);
    expect(() => tokens.revoke("worker")).toThrow("no token is named worker");
  });

  test("that differs in one character anywhere is wrong", () => {
    using made = makeTokens();
    const { tokens } = made;
    const right = tokens.operatorSecret;
    const near = Array.from(
      right,
      (letter, index) =>
        `${right.slice(0, index)}${letter === "A" ? "B" : "A"}${right.slice(index + 1)}`,
    );
    const wrong = [...near, "", right.slice(0, -1), `${right}A`, right.toUpperCase(), ` ${right}`];
    expect(wrong.filter((secret) => tokens.verify(secret) !== undefined)).toEqual([]);
  });
});

describe("a state directory", () => {
  test("that others can reach is refused", () => {
    using made = makeTokens();
    chmodSync(made.at("."), 0o777);
    expect(() => made.open()).toThrow("has mode 0777");
  });

  test.each(["token", "tokens.json"])(
    "with a planted %s is refused and its target untouched",
    (name) => {
      using made = makeTokens();
      const target = made.at("target");
      writeFileSync(target, "untouched", { mode: 0o600 });
      unlinkSync(made.at(name));
      symlinkSync(target, made.at(name));
      expect(() => made.open()).toThrow(`${name} is a symbolic link`);
      expect(readFileSync(target, "utf8")).toBe("untouched");
    },
  );

  test.each(["", "{", "[]", '{"version":2,"tokens":[]}', '{"version":1,"tokens":[{"name":"x"}]}'])(
    "whose list of tokens is %j is refused and left as it is",
    (text) => {
      using made = makeTokens();
      writeFileSync(made.at("tokens.json"), text);
      expect(() => made.open()).toThrow("is not a list of tokens");
      expect(readFileSync(made.at("tokens.json"), "utf8")).toBe(text);
    },
  );

  test("that cannot be written keeps the tokens as they were", () => {
    using made = makeTokens();
    const { tokens } = made;
    const before = tokens.list();
    chmodSync(made.at("."), 0o777);
    expect(() => tokens.create({ name: "late", scope: "operator" })).toThrow("has mode 0777");
    expect(() => tokens.rotate("operator")).toThrow("has mode 0777");
    expect(tokens.list()).toEqual(before);
    expect(tokens.verify(tokens.operatorSecret)).toBeDefined();
  });
});
