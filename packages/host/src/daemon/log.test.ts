import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { Log, type LogFields, type LogOptions } from "./log.ts";

const TOKEN = `nacre_${"aB3-_xYz".repeat(6).slice(0, 43)}`;

let state: string;
let path: string;
let lines: string[];

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "nacre-log-"));
  path = join(state, "daemon.log");
  lines = [];
});

const open = (more: Partial<LogOptions> = {}): Log =>
  new Log({ state, level: "info", sink: (line) => lines.push(line), ...more });

const parsed = (): unknown[] => lines.map((line) => JSON.parse(line) as unknown);

test("a line is one object of JSON, in the file and beside it, and only for its owner", () => {
  using log = open();
  log.warn("disk is slow", { terminalId: "terminal:1", durationMs: 12 });
  expect(parsed()).toEqual([
    {
      at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      level: "warn",
      message: "disk is slow",
      terminalId: "terminal:1",
      durationMs: 12,
    },
  ]);
  expect(readFileSync(path, "utf8")).toBe(lines.join(""));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("lines below the level are not written", () => {
  using log = open({ level: "warn" });
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  expect(parsed()).toMatchObject([{ message: "c" }, { message: "d" }]);
});

describe("secrets stay out", () => {
  test("a field that is not on the list is not written", () => {
    using log = open();
    const fields = { code: "x", headers: { authorization: TOKEN }, body: "b" } as LogFields;
    log.info("request", fields);
    expect(Object.keys(parsed()[0] as object)).toEqual(["at", "level", "message", "code"]);
  });

  test.each([
    TOKEN,
    `GET /ahp?tkn=${TOKEN}&x=1`,
    `/connect?ticket=ticket_${"x".repeat(43)}`,
    `Authorization: Bearer s3cr3t-of-mine`,
    `nacre.bearer.${TOKEN}`,
    `{"token":"s3cr3t-of-mine"}`,
    `http://127.0.0.1:6227/#token=${TOKEN}`,
    `term-${"y".repeat(43)}`,
  ])("%s is taken out, wherever it is", (secret) => {
    using log = open();
    log.error(`failed with ${secret}`, { reason: secret, error: new Error(secret) });
    const text = lines.join("");
    expect(text).toContain("[hidden]");
    expect(text).not.toMatch(/aB3-_xYz|s3cr3t|xxxxxx|yyyyyy/);
  });

  test("a failure is described by name, code and place, not by what it holds", () => {
    using log = open();
    log.error("a", { error: Object.assign(new TypeError("broken"), { code: "EX", body: "b" }) });
    log.error("b", { error: new NacreError("timeout", "too late") });
    log.error("c", { error: { token: TOKEN } });
    expect(parsed()).toMatchObject([
      {
        error: {
          name: "TypeError",
          code: "EX",
          message: "broken",
          stack: expect.stringMatching(/^\s+at /) as string,
        },
      },
      { error: { name: "NacreError", code: "timeout", message: "too late" } },
      { error: { name: "object" } },
    ]);
    expect(lines.join("")).not.toContain("body");
  });
});

test("a full file is put aside once, so that there are never more than two", () => {
  using log = open({ maxBytes: 1000 });
  for (let index = 0; index < 100; index++) log.info(`line ${index}`);
  expect(statSync(path).size).toBeLessThanOrEqual(1000);
  expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(1000);
  const kept = readFileSync(`${path}.1`, "utf8") + readFileSync(path, "utf8");
  expect(lines.join("").endsWith(kept)).toBe(true);
});

test("a file that cannot be put aside stops nobody, and is written again when it can", () => {
  using log = open({ maxBytes: 300 });
  mkdirSync(`${path}.1/in the way`, { recursive: true });
  for (let index = 0; index < 10; index++) log.info(`line ${index}`);
  expect(lines).toHaveLength(10);
  rmSync(`${path}.1`, { recursive: true });
  log.info("after");
  expect(readFileSync(path, "utf8")).toContain("after");
});

test.each([
  ["a symbolic link", (target: string) => symlinkSync(target, path)],
  ["a hard link", (target: string) => linkSync(target, path)],
  ["a file that others may read", () => writeFileSync(path, "", { mode: 0o644 })],
])("%s in its place is refused and what it leads to is untouched", (_, plant) => {
  const target = join(state, "target");
  writeFileSync(target, "precious", { mode: 0o600 });
  plant(target);
  expect(() => open()).toThrow("cannot be written to");
  expect(readFileSync(target, "utf8")).toBe("precious");
});
