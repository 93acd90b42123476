import { execFileSync } from "node:child_process";
import {
  appendFile,
  chmod,
  link,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CommitDetector } from "./commit-detector.ts";
import { ownDirectory } from "./testing/own-directory.ts";

const LIMITS = { stableMs: 50, incompleteMs: 1000 };

/** A control file with a clock that only the test moves; every write has a time of its own. */
async function openFile() {
  const directory = await ownDirectory();
  const path = join(directory.path, "exec.json");
  await writeFile(path, "");
  const file = new CommitDetector(LIMITS);
  await file.reset(path);
  let writes = 0;
  let nowMs = 1000;
  const touch = (where: string) => utimes(where, 1, 1_000_000 + ++writes);
  return {
    path,
    file,
    look: (afterMs = 0, hasRoom = true) => file.poll({ path, nowMs: (nowMs += afterMs), hasRoom }),
    write: async (text: string) => {
      await writeFile(path, text);
      await touch(path);
    },
    append: async (text: string) => {
      await appendFile(path, text);
      await touch(path);
    },
    put: async (text: string) => {
      const draft = join(directory.path, "draft");
      await writeFile(draft, text);
      await touch(draft);
      await rename(draft, path);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const object = (text: string) => ({ kind: "object", text });

test("what is renamed into place counts at once, and once", async () => {
  await using it = await openFile();
  expect(await it.look()).toBeUndefined();
  await it.put('{"a":1}');
  expect(await it.look()).toEqual(object('{"a":1}'));
  expect(await it.look()).toBeUndefined();
  expect(await it.look(60)).toBeUndefined();
  expect(await it.look(5000)).toBeUndefined();
});

test("what is written in place counts when it did not change for a while", async () => {
  await using it = await openFile();
  await it.write('{"a":1}');
  expect(await it.look()).toBeUndefined();
  expect(it.file.dueAtMs).toBe(1050);
  expect(await it.look(49)).toBeUndefined();
  await it.write('{"a":2}');
  expect(await it.look(1)).toBeUndefined();
  expect(await it.look(50)).toEqual(object('{"a":2}'));
  expect(await it.look(1000)).toBeUndefined();
});

test("the same content written again is another request; a new mode is none", async () => {
  await using it = await openFile();
  await it.put("{}");
  expect(await it.look()).toEqual(object("{}"));
  await it.put("{}");
  expect(await it.look(60)).toEqual(object("{}"));
  await it.write("{}");
  await it.look(60);
  expect(await it.look(60)).toEqual(object("{}"));
  await chmod(it.path, 0o640);
  expect(await it.look(60)).toBeUndefined();
});

test("a second write that looks the same as the first is found all the same", async () => {
  await using it = await openFile();
  await it.put('{"a":1}');
  expect(await it.look()).toEqual(object('{"a":1}'));
  await writeFile(it.path, '{"a":2}');
  await utimes(it.path, 1, 1_000_001);
  expect(await it.look(10)).toBeUndefined();
  expect(await it.look(50)).toEqual(object('{"a":2}'));
  expect(await it.look(60)).toBeUndefined();
});

test("half of a request waits for the rest, and is answered when none comes", async () => {
  await using it = await openFile();
  await it.write('{"a":');
  await it.look();
  expect(await it.look(999)).toBeUndefined();
  await it.append("1}");
  await it.look();
  expect(await it.look(50)).toEqual(object('{"a":1}'));
  await it.write('{"a":');
  await it.look();
  expect(await it.look(1000)).toEqual({ kind: "noObject" });
  expect(await it.look(5000)).toBeUndefined();
  await it.append("2}");
  await it.look();
  expect(await it.look(50)).toEqual(object('{"a":2}'));
});

test("an emptied file counts only when nothing is written into it", async () => {
  await using it = await openFile();
  await it.put("{}");
  await it.look();
  await truncate(it.path);
  await it.look();
  expect(await it.look(999)).toBeUndefined();
  expect(await it.look(1)).toEqual({ kind: "empty" });
});

test("without room nothing is taken, and nothing is lost", async () => {
  await using it = await openFile();
  await it.put('{"a":1}');
  expect(await it.look(0, false)).toBeUndefined();
  expect(await it.look(5000, false)).toBeUndefined();
  expect(await it.look()).toEqual(object('{"a":1}'));
});

test("a link is refused soon and once, and what comes after it counts", async () => {
  await using it = await openFile();
  await rm(it.path);
  await symlink("/etc/passwd", it.path);
  await it.look();
  expect(await it.look(50)).toEqual({ kind: "refused", reason: "it is a symbolic link" });
  expect(await it.look(500)).toBeUndefined();
  await it.put("{}");
  expect(await it.look()).toEqual(object("{}"));
});

test("something else of the same kind is refused again", async () => {
  await using it = await openFile();
  for (let index = 0; index < 3; index++) {
    await rm(it.path);
    await it.look();
    execFileSync("mkfifo", [it.path]);
    await it.look();
    expect(await it.look(50)).toEqual({ kind: "refused", reason: "it is not a plain file" });
    expect(await it.look(500)).toBeUndefined();
  }
});

test("what was taken is not refused when it gets another name, nor after a restart", async () => {
  await using it = await openFile();
  await it.put("{}");
  expect(await it.look()).toEqual(object("{}"));
  await link(it.path, `${it.path}.other`);
  await it.look(60);
  expect(await it.look(60)).toBeUndefined();
  await it.file.reset(it.path, it.file.taken);
  await it.look(60);
  expect(await it.look(60)).toBeUndefined();
});

test("however a writer splits its text, each request counts exactly once and whole", async () => {
  const parts = fc.array(fc.nat({ max: 90 }), { minLength: 0, maxLength: 6 });
  const step = fc.record({ isPut: fc.boolean(), pauses: parts });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      await using it = await openFile();
      const taken: unknown[] = [];
      const look = async (afterMs: number): Promise<void> => {
        const commit = await it.look(afterMs);
        if (commit) taken.push(commit);
      };
      const texts = steps.map((_, index) => JSON.stringify({ index, pad: "x".repeat(index * 3) }));
      for (const [index, { isPut, pauses }] of steps.entries()) {
        const text = texts[index] ?? "";
        if (isPut) await it.put(text);
        else {
          const size = Math.ceil(text.length / (pauses.length + 1));
          await it.write(text.slice(0, size));
          for (const [at, pause] of pauses.entries()) {
            await look(pause);
            await it.append(text.slice(size * (at + 1), size * (at + 2)));
          }
        }
        await look(0);
        await look(60);
        await look(60);
      }
      expect(taken).toEqual(texts.map(object));
    }),
    { numRuns: 60 },
  );
});
