import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TerminalId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { readProcess } from "../../packages/host/src/pty/process-table.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { waitUntil } from "../support/wait-until.ts";
import { FaultyDaemon } from "./faulty-daemon.ts";
import { LONG_TEST, recordedOutput } from "./recorded.ts";

/** A home that goes with the test. */
function makeHome(): Disposable & { readonly path: string; readonly store: string } {
  const own = ownDirectory();
  return { ...own, store: join(own.path, "recordings/recordings.db") };
}

/** Records programs one after the other, so that each has pages of its own; resolves when the daemon has ended. */
async function record(home: string, scripts: readonly string[]): Promise<TerminalId[]> {
  await using daemon = await FaultyDaemon.start({ home });
  const ids: TerminalId[] = [];
  for (const script of scripts) {
    const id = await daemon.run(script);
    await daemon.client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
    ids.push(id);
  }
  return ids;
}

/** Overwrites the pages of the store in which one of these texts is, as a broken disk would. */
function damagePages(path: string, texts: readonly string[]): number {
  const pageBytes = 4096;
  const content = readFileSync(path);
  let count = 0;
  for (const text of texts) {
    for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
      const start = at - (at % pageBytes);
      content.fill(0xa5, start, start + pageBytes);
      count++;
    }
  }
  writeFileSync(path, content);
  return count;
}

test(
  "one damaged recording is told by name, with what to do; all others are served",
  LONG_TEST,
  async () => {
    using home = makeHome();
    // Many entries that are each a part of a page, and together many pages.
    const write = (word: string): string =>
      `stty -opost; pad=$(printf %0200d 0); for i in $(seq 250); do echo $pad ${word} $i; /bin/true; done`;
    const [good, bad] = await record(home.path, [write("good"), write("spoiled")]);
    // The log was folded into the file when the daemon ended.
    using database = new DatabaseSync(home.store);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    // One text alone may lie across two pages, with a whole copy only in a page that is free.
    const spoiled = Array.from({ length: 10 }, (_, digit) => `spoiled 12${digit}`);
    expect(damagePages(home.store, spoiled)).toBeGreaterThan(0);

    await using daemon = await FaultyDaemon.start({ home: home.path });
    const { client } = daemon;
    const readAll = async (): Promise<void> => {
      for (let after = 0, isMore = true; isMore;) {
        const page = await client.findRecordingEntries({ terminalId: bad!, after, limit: 50 });
        after = page.nextAfter ?? after;
        isMore = page.truncated;
      }
    };
    await expect(readAll()).rejects.toMatchObject({
      code: "recording_damaged",
      message: expect.stringContaining(bad!),
      suggestion: expect.stringMatching(/verify/i),
    });
    const verdict = await client.verifyRecording({ id: bad! });
    expect(verdict).toMatchObject({ ok: false });
    expect((await recordedOutput(client, good!)).toString()).toContain("good 250\n");
    const next = await daemon.run("echo more");
    await client.waitFor({ id: next, until: [{ kind: "exit" }], after: 0 });
    expect((await recordedOutput(client, next)).toString()).toBe("more\r\n");
    expect(await client.readHost({})).toMatchObject({
      storage: { state: "ok" },
      damagedRecordings: 1,
    });
    const told = daemon.log.filter(({ message }) => message === "a recording is damaged");
    expect(told).toMatchObject([
      { level: "error", terminalId: bad, error: { code: "recording_damaged" } },
    ]);
    expect(await daemon.metric("nacre_recordings_damaged")).toBe(1);
  },
);

test(
  "a store that is no store any more is left as it is: the daemon says so and ends, programs go on",
  LONG_TEST,
  async () => {
    using home = makeHome();
    const daemon = await FaultyDaemon.start({ home: home.path });
    const id = await daemon.run("echo $$ > pid; echo up; exec cat");
    await daemon.client.waitFor({ id, until: [{ kind: "text", text: "up" }], after: 0 });
    const { keeperPid } = daemon;
    const pid = Number(daemon.read("pid"));
    await daemon.kill();
    try {
      const [intact, log] = [readFileSync(home.store), readFileSync(`${home.store}-wal`)];
      const broken = Buffer.from(intact);
      broken.fill(0xa5, 0, 4096);
      writeFileSync(home.store, broken);
      rmSync(`${home.store}-wal`);
      rmSync(`${home.store}-shm`, { force: true });
      await expect(FaultyDaemon.start({ home: home.path })).rejects.toThrow(
        /the store .* is damaged and cannot be opened: .*; nothing was changed\n.*Put a copy of it back/,
      );
      expect(readFileSync(home.store).equals(broken)).toBe(true);
      expect(readProcess(pid)).toBeDefined();

      // A copy is put back, and everything is as it was.
      writeFileSync(home.store, intact);
      writeFileSync(`${home.store}-wal`, log);
      await using again = await FaultyDaemon.start({ home: home.path });
      await again.client.sendInput({ id, data: "still there\r" });
      await again.client.waitFor({ id, until: [{ kind: "text", text: "still there" }], after: 0 });
      expect(again.keeperPid).toBe(keeperPid);
    } finally {
      await daemon[Symbol.asyncDispose]();
      await waitUntil(() => readProcess(pid) === undefined);
    }
  },
);
