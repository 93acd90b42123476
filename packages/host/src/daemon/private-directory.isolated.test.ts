import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ensurePrivateDirectory } from "./private-directory.ts";

let path: string;

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "nacre-directory-")), "state");
});

test("a directory is made for its owner alone, whatever the mask, and used again", () => {
  const umask = process.umask(0o000);
  try {
    ensurePrivateDirectory(join(path, "run"));
  } finally {
    process.umask(umask);
  }
  expect(statSync(join(path, "run")).mode & 0o777).toBe(0o700);
  expect(() => ensurePrivateDirectory(join(path, "run"))).not.toThrow();
});

test("one that others may enter is refused, with what to do", () => {
  mkdirSync(path);
  chmodSync(path, 0o755);
  expect(() => ensurePrivateDirectory(path)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("mode 0755") as string,
      suggestion: expect.stringContaining("chmod 700") as string,
    }) as Error,
  );
});

test("a link is refused, though it leads to a private directory", () => {
  mkdirSync(`${path}-real`, { mode: 0o700 });
  symlinkSync(`${path}-real`, path);
  expect(() => ensurePrivateDirectory(path)).toThrow("is a symbolic link");
});

test("a file in its place is refused", () => {
  writeFileSync(path, "");
  expect(() => ensurePrivateDirectory(path)).toThrow("not a directory");
});

test.skipIf(process.getuid?.() !== 0)("another's is refused (only root can make one)", () => {
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, 65_534, 65_534);
  expect(() => ensurePrivateDirectory(path)).toThrow("belongs to user 65534");
});
