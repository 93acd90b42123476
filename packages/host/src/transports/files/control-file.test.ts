import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";
import { chmod, link, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { probeFile, readUnchanged } from "./control-file.ts";
import { MAX_CONTROL_FILE_BYTES } from "./control-limits.ts";
import { ownDirectory } from "./testing/own-directory.ts";

const KINDS: Record<string, (path: string) => Promise<void> | void> = {
  "symbolic link": (path) => symlink("/etc/passwd", path),
  "dangling link": (path) => symlink("/nonexistent", path),
  directory: async (path) => {
    await mkdir(path);
  },
  FIFO: (path) => void execFileSync("mkfifo", [path]),
  socket: async (path) => {
    const server = createServer().listen(path).unref();
    await once(server, "listening");
  },
  "hard link": async (path) => {
    await writeFile(`${path}.other`, "{}");
    await link(`${path}.other`, path);
  },
  "sparse file of 1 GiB": async (path) => {
    await writeFile(path, "");
    await truncate(path, 1024 ** 3);
  },
  "file that its owner may not read": async (path) => {
    await writeFile(path, "{}");
    await chmod(path, 0o200);
  },
};

test.each(Object.entries(KINDS))("a %s is refused, and never read", async (_name, make) => {
  await using directory = await ownDirectory();
  const path = join(directory.path, "exec.json");
  await make(path);
  const seen = await probeFile(path);
  expect(seen).toMatchObject({ kind: "refused", reason: expect.any(String) });
  expect(await readUnchanged(path, "stamp" in seen ? seen.stamp : "")).toBeUndefined();
});

test("a file is read whole, up to the largest", async () => {
  await using directory = await ownDirectory();
  const path = join(directory.path, "exec.json");
  expect(await probeFile(path)).toEqual({ kind: "absent" });
  await writeFile(path, "x".repeat(MAX_CONTROL_FILE_BYTES));
  const seen = await probeFile(path);
  expect(seen.kind).toBe("file");
  const stamp = "stamp" in seen ? seen.stamp : "";
  expect((await readUnchanged(path, stamp))?.byteLength).toBe(MAX_CONTROL_FILE_BYTES);
  await writeFile(path, "y");
  expect(await readUnchanged(path, stamp)).toBeUndefined();
});
