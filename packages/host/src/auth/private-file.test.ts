import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPrivateFile, requirePrivateDirectory, writePrivateFile } from "./private-file.ts";
import { makePrivateDirectory } from "./testing/private-directory.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** What may lie where our file should be, and what is said of it. */
const PLANTED: readonly [string, RegExp, (path: string, target: string) => void][] = [
  ["a symbolic link", /is a symbolic link/, (path, target) => symlinkSync(target, path)],
  [
    "a symbolic link to nothing",
    /is a symbolic link/,
    (path) => symlinkSync("/no/such/file", path),
  ],
  ["a hard link", /hard link/, (path, target) => linkSync(target, path)],
  ["a FIFO", /is not a plain file/, (path) => void execFileSync("mkfifo", ["-m", "600", path])],
  ["a directory", /is not a plain file/, (path) => mkdirSync(path, { mode: 0o700 })],
  ["a file for all to read", /mode 0644/, (path) => writeFileSync(path, "x", { mode: 0o644 })],
  [
    "a huge file",
    /has 5000000 bytes/,
    (path) => writeFileSync(path, "x".repeat(5_000_000), { mode: 0o600 }),
  ],
];

describe("a private file", () => {
  test("is ours alone and is replaced as a whole", () => {
    using directory = makePrivateDirectory();
    const path = join(directory.path, "secret");
    expect(readPrivateFile(path)).toBeUndefined();
    for (const text of ["first, and longer", "second"]) {
      writePrivateFile(path, text);
      expect(readPrivateFile(path)).toBe(text);
      expect(modeOf(path)).toBe(0o600);
    }
    expect(readdirSync(directory.path)).toEqual(["secret"]);
  });

  test("has a new inode with each text, so that no reader sees half of one", () => {
    using directory = makePrivateDirectory();
    const path = join(directory.path, "secret");
    writePrivateFile(path, "old");
    const old = statSync(path).ino;
    writePrivateFile(path, "new");
    expect(statSync(path).ino).not.toBe(old);
  });

  test.each(PLANTED)("is not read through %s", (_, problem, plant) => {
    using directory = makePrivateDirectory();
    const [path, target] = [join(directory.path, "secret"), join(directory.path, "target")];
    writeFileSync(target, "untouched", { mode: 0o600 });
    plant(path, target);
    expect(() => readPrivateFile(path)).toThrow(problem);
    expect(readFileSync(target, "utf8")).toBe("untouched");
  });

  test.each(PLANTED)("is not written through %s", (_, problem, plant) => {
    using directory = makePrivateDirectory();
    const [path, target] = [join(directory.path, "secret"), join(directory.path, "target")];
    writeFileSync(target, "untouched", { mode: 0o600 });
    plant(path, target);
    const before = readdirSync(directory.path);
    expect(() => writePrivateFile(path, "secret")).toThrow(problem);
    expect(readFileSync(target, "utf8")).toBe("untouched");
    expect(readdirSync(directory.path)).toEqual(before);
  });
});

describe("a private directory", () => {
  test("is ours with mode 0700", () => {
    using directory = makePrivateDirectory();
    expect(() => requirePrivateDirectory(directory.path)).not.toThrow();
  });

  test.each([0o777, 0o750, 0o701, 0o770])("has no mode that lets others in: %o", (mode) => {
    using directory = makePrivateDirectory();
    chmodSync(directory.path, mode);
    expect(() => requirePrivateDirectory(directory.path)).toThrow(
      `has mode 0${mode.toString(8)}, so that others can reach it`,
    );
    expect(() => writePrivateFile(join(directory.path, "secret"), "x")).toThrow("has mode");
    expect(readdirSync(directory.path)).toEqual([]);
  });

  test("is no link, no file and not missing", () => {
    using directory = makePrivateDirectory();
    const at = (name: string) => join(directory.path, name);
    mkdirSync(at("real"), { mode: 0o700 });
    symlinkSync(at("real"), at("link"));
    writeFileSync(at("file"), "");
    expect(() => requirePrivateDirectory(at("link"))).toThrow("is a symbolic link");
    expect(() => requirePrivateDirectory(at("file"))).toThrow("is not a directory");
    expect(() => requirePrivateDirectory(at("missing"))).toThrow("does not exist");
  });

  test("is not another user's", () => {
    using directory = makePrivateDirectory();
    // Only root can give a directory away; for everybody else that of root is another's.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(directory.path, 1, 1);
    const path = isRoot ? directory.path : "/";
    expect(() => requirePrivateDirectory(path)).toThrow(/belongs to user [01];/);
  });
});
