import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programLaunch, PtyReader } from "./contract/pty-fixtures.ts";
import { linuxPty } from "./linux-pty.ts";
import {
  isInsideRoots,
  normalizeDirectory,
  resolveWorkingDirectory,
  type WorkingDirectoryPolicy,
} from "./working-directory.ts";

let base = "";
let root = "";
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "nacre-cwd-")));
  root = join(base, "root");
  for (const path of ["root/inside", "root/..foo", "outside", "home"]) {
    mkdirSync(join(base, path), { recursive: true });
  }
  writeFileSync(join(root, "file"), "");
  symlinkSync(join(base, "outside"), join(root, "out"));
  symlinkSync(join(root, "inside"), join(root, "in"));
});
afterAll(() => rmSync(base, { recursive: true }));

const resolve = (asked: string | undefined, more: Partial<WorkingDirectoryPolicy> = {}) =>
  resolveWorkingDirectory(asked, { home: join(base, "home"), allowedRoots: [], ...more });

const inRoot = (asked: string | undefined, more: Partial<WorkingDirectoryPolicy> = {}) =>
  resolve(asked, { allowedRoots: [root], ...more });

test("a path is trimmed, normalised and freed of a doubled slash", async () => {
  expect((await resolve(`  ${root}/  `)).path).toBe(root);
  expect((await resolve(`/${root}`)).path).toBe(root);
  expect((await resolve(`${root}/inside/../inside`)).path).toBe(join(root, "inside"));
});

test("a share of WSL keeps its two slashes", () => {
  expect(normalizeDirectory("//wsl$/Debian/home")).toBe("//wsl$/Debian/home");
});

test("without a path a program starts at home, or in the first root when home is outside", async () => {
  expect((await resolve(undefined)).path).toBe(join(base, "home"));
  expect((await resolve("  ")).path).toBe(join(base, "home"));
  expect((await inRoot(undefined)).path).toBe(root);
});

describe("a path that cannot be used is an error", () => {
  test.each([
    ["with NUL", () => `${root}\0/inside`, "invalid_argument"],
    ["relative", () => "inside", "invalid_argument"],
    ["missing", () => join(root, "nope"), "cwd_not_found"],
    ["a file", () => join(root, "file"), "cwd_not_directory"],
    ["outside the roots", () => join(base, "outside"), "cwd_forbidden"],
    ["outside by ..", () => join(root, "inside/../../outside"), "cwd_forbidden"],
    ["outside by a link", () => join(root, "out"), "cwd_forbidden"],
    ["the parent of a root", () => base, "cwd_forbidden"],
  ])("%s", async (_name, path, code) => {
    await expect(inRoot(path())).rejects.toMatchObject({ code, field: "cwd" });
  });
});

test("a directory inside the root is accepted, also through a link and with dots in its name", async () => {
  expect((await inRoot(join(root, "in"))).path).toBe(join(root, "inside"));
  expect((await inRoot(join(root, "..foo"))).path).toBe(join(root, "..foo"));
  expect((await inRoot(root)).path).toBe(root);
});

test("a root may itself be a link", async () => {
  const link = join(base, "link-to-root");
  symlinkSync(root, link);
  expect((await inRoot(join(link, "inside"), { allowedRoots: [link] })).path).toBe(
    join(root, "inside"),
  );
});

test("the home directory stands in only when asked for, and it is reported", async () => {
  const fallen = await resolve(join(root, "nope"), { fallback: "home" });
  expect(fallen.path).toBe(join(base, "home"));
  expect(fallen.fallbackReason).toMatchObject({ code: "cwd_not_found" });
});

test("the home directory does not stand in when it is outside the roots", async () => {
  await expect(inRoot(join(root, "nope"), { fallback: "home" })).rejects.toMatchObject({
    code: "cwd_not_found",
  });
});

test("being inside is decided by whole names", () => {
  expect(isInsideRoots("/data/project", ["/data"])).toBe(true);
  expect(isInsideRoots("/database", ["/data"])).toBe(false);
  expect(isInsideRoots("/data", ["/data/"])).toBe(true);
  expect(isInsideRoots("/anything", [])).toBe(true);
});

describe("a directory that changes between the check and the start", () => {
  const pwd = (cwd: string) => ({
    ...programLaunch("/bin/readlink", "/proc/self/cwd"),
    cwd,
    allowedRoots: [root],
  });

  test("a link in its place is refused", async () => {
    await expect(linuxPty.spawn(pwd(join(root, "out")))).rejects.toMatchObject({
      code: "cwd_not_found",
    });
  });

  test("a directory that was moved out is refused", async () => {
    const inside = join(root, "moving");
    mkdirSync(inside);
    renameSync(inside, join(base, "outside/moving"));
    await expect(linuxPty.spawn(pwd(join(base, "outside/moving")))).rejects.toMatchObject({
      code: "cwd_forbidden",
    });
  });

  test("no program ever starts outside, however fast directory and link are swapped", async ({
    signal,
  }) => {
    mkdirSync(join(root, "directory"));
    symlinkSync(join(base, "outside"), join(root, "link"));
    const swap = "mv -T directory spot; mv -T spot directory; mv -T link spot; mv -T spot link";
    await using swapper = new AsyncDisposableStack();
    const swapping = spawn("/bin/sh", ["-c", `while :; do ${swap}; done`], { cwd: root });
    swapper.defer(async () => {
      swapping.kill("SIGKILL");
      await once(swapping, "exit");
    });
    const places: string[] = [];
    const refusals: unknown[] = [];
    // As many as it takes: a busy machine may let the swapper wait.
    while (!signal.aborted && Math.min(places.length, refusals.length) < 10) {
      try {
        const { path, allowedRoots } = await inRoot(join(root, "spot"));
        await using pty = await linuxPty.spawn({ ...pwd(path), allowedRoots });
        places.push((await new PtyReader(pty).toEnd()).trim());
      } catch (error) {
        refusals.push(error);
      }
    }
    expect(places.filter((place) => !isInsideRoots(place, [root]))).toEqual([]);
    expect(refusals.filter((error) => !isNacreError(error, /^cwd_/))).toEqual([]);
    expect(Math.min(places.length, refusals.length)).toBe(10);
  });
});

const isNacreError = (error: unknown, code: RegExp): boolean =>
  error instanceof NacreError && code.test(error.code);
