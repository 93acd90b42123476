// No byte is lost, added or changed, whatever the reader does and however the program ends.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { MAX_QUEUED_OUTPUT_BYTES } from "../output-queue.ts";
import type { PtyDriver } from "../pty.ts";
import {
  ascii,
  programLaunch,
  type PtyCase,
  RAW,
  PtyReader,
  runToEnd,
  Scratch,
  scriptLaunch,
} from "./tools.ts";

/** How the reader behaves when the program ends. */
export type ReaderHabit = "idle" | "busy" | "stalled";

/** How long a busy reader does something else after each chunk. */
const BUSY_MS = 5;

/** Written last and on its own: an empty kernel buffer takes it although nobody reads. */
const TAIL_BYTES = 3000;

/** What a stalled reader leaves: all that a driver queues, so that the tail is in the kernel at the exit. */
const UNREAD_BYTES = MAX_QUEUED_OUTPUT_BYTES + TAIL_BYTES;

function beBusy(): void {
  const until = performance.now() + BUSY_MS;
  while (performance.now() < until);
}

/** What a reader is put to: how it behaves, for how many bytes, and what it does while it stalls. */
export interface TailTrial {
  readonly habit: ReaderHabit;
  readonly bytes: number;
  readonly stall?: () => Promise<void>;
}

/** Runs a program that writes random bytes and ends at once; checks that each of them was read. */
export async function checkTail(driver: PtyDriver, trial: TailTrial): Promise<void> {
  const { habit, bytes, stall } = trial;
  using scratch = new Scratch();
  const script = `${RAW}; for n in "$2" "$3"; do head -c "$n" /dev/urandom | tee -a "$1"; done`;
  const parts = [bytes - TAIL_BYTES, TAIL_BYTES].map(String);
  await using pty = await driver.spawn(scriptLaunch(script, scratch.file("written"), ...parts));
  const reader = new PtyReader(pty);
  if (habit === "stalled") {
    while (reader.bytes < bytes - UNREAD_BYTES) assert.ok(await reader.next());
    await pty.exited;
    await stall?.();
  }
  while (await reader.next()) if (habit === "busy") beBusy();
  const exit = await pty.exited;
  assert.deepEqual({ ...exit }, { exitCode: 0, outputBytes: bytes, drained: true });
  assert.equal(reader.bytes, bytes);
  assert.equal(reader.digest(), scratch.digest("written"));
}

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** What a driver must do with the bytes of real programs. */
export const BYTE_CASES: readonly PtyCase[] = [
  ...(["idle", "busy", "stalled"] as const).map((habit) => ({
    name: `the tail of the output arrives although the program ended, reader ${habit}`,
    async run(driver: PtyDriver) {
      for (const bytes of [TAIL_BYTES, 20_000, UNREAD_BYTES, 2_000_000]) {
        await checkTail(driver, { habit, bytes });
      }
    },
  })),
  {
    name: "a program that writes nothing gives no chunk and its exit",
    async run(driver) {
      for (let round = 0; round < 20; round++) {
        const { bytes, exit } = await runToEnd(driver, programLaunch("/bin/true"));
        assert.equal(bytes, 0);
        assert.deepEqual({ ...exit }, { exitCode: 0, outputBytes: 0, drained: true });
      }
    },
  },
  {
    name: "exactly 64 KiB arrive as exactly 64 KiB",
    async run(driver) {
      const launch = scriptLaunch(`${RAW}; head -c 65536 /dev/zero | tr '\\0' x`);
      const { text, bytes } = await runToEnd(driver, launch);
      assert.equal(bytes, 65_536);
      assert.equal(text, "x".repeat(65_536));
    },
  },
  {
    name: "all 256 byte values pass ten thousand times unchanged, out and in",
    async run(driver) {
      using scratch = new Scratch();
      const content = Buffer.concat(Array.from({ length: 10_000 }, () => ALL_BYTES));
      writeFileSync(scratch.file("out"), content);
      const out = await runToEnd(driver, scriptLaunch(`${RAW}; cat "$1"`, scratch.file("out")));
      assert.equal(out.bytes, content.length);
      assert.equal(out.digest, scratch.digest("out"));

      const swallow = `${RAW}; printf ready; head -c 256000 > "$1"`;
      await using pty = await driver.spawn(scriptLaunch(swallow, scratch.file("in")));
      await new PtyReader(pty).until("ready");
      for (let piece = 0; piece < 1000; piece++) await pty.write(Uint8Array.from(ALL_BYTES));
      assert.equal((await pty.exited).exitCode, 0);
      writeFileSync(scratch.file("expected"), content.subarray(0, 256_000));
      assert.equal(scratch.digest("in"), scratch.digest("expected"));
    },
  },
  {
    name: "the end of the output is the end, not an error, and comes again when asked again",
    async run(driver) {
      await using pty = await driver.spawn(scriptLaunch("printf done"));
      const reader = new PtyReader(pty);
      assert.equal(await reader.toEnd(), "done");
      assert.equal(await pty.read(), undefined);
      assert.equal((await pty.exited).drained, true);
      assert.equal(await pty.read(), undefined);
    },
  },
  {
    name: "the terminal erases whole UTF-8 characters",
    async run(driver) {
      const { text } = await runToEnd(driver, scriptLaunch("stty -a"));
      assert.match(text, /\siutf8/);
      await using pty = await driver.spawn(
        scriptLaunch("printf ready; read x; printf '[%s]' \"$x\""),
      );
      const reader = new PtyReader(pty);
      await reader.until("ready");
      await pty.write(Buffer.from("aé\x7f\n"));
      assert.match(await reader.until("]"), /\[a\]/);
    },
  },
  {
    name: "the exit is reported although another program keeps the terminal open, and says so",
    async run(driver) {
      const script = `trap "" HUP; (while read line < "$1"; do echo "late $line"; done) & printf first`;
      using scratch = new Scratch();
      const fifo = scratch.file("fifo");
      await runToEnd(driver, scriptLaunch('mkfifo "$1"', fifo));
      await using pty = await driver.spawn(scriptLaunch(script, fifo));
      const exit = await pty.exited;
      assert.deepEqual({ ...exit }, { exitCode: 0, outputBytes: 5, drained: false });
      const reader = new PtyReader(pty);
      assert.equal(await reader.until("first"), "first");
      writeFileSync(fifo, "words\n");
      assert.match(await reader.until("words"), /late words/);
    },
  },
  {
    name: "a program that goes on writing after the exit is held back by a reader that does not read",
    async run(driver) {
      await using pty = await driver.spawn(scriptLaunch('trap "" HUP; yes & exit 5'));
      const exit = await pty.exited;
      assert.deepEqual([exit.exitCode, exit.drained], [5, false]);
      assert.ok(exit.outputBytes <= 2 * MAX_QUEUED_OUTPUT_BYTES, `${exit.outputBytes} queued`);
      const reader = new PtyReader(pty);
      while (reader.bytes < exit.outputBytes + 100_000) assert.ok(await reader.next());
    },
  },
  {
    name: "disposing hands over what was written, and says what was not read to the end",
    async run(driver) {
      const pty = await driver.spawn(scriptLaunch(`${RAW}; exec yes`));
      const reader = new PtyReader(pty);
      await reader.next();
      const disposal = pty[Symbol.asyncDispose]();
      await reader.toEnd();
      await disposal;
      const exit = await pty.exited;
      assert.deepEqual([exit.signal, exit.drained], ["SIGKILL", true]);
      assert.equal(reader.bytes, exit.outputBytes);
    },
  },
  {
    name: "echo and line mode can be read while a secret is asked for",
    async run(driver) {
      await using pty = await driver.spawn(
        scriptLaunch("stty -echo; printf 'Password: '; read x; stty echo; printf ok; read y"),
      );
      const reader = new PtyReader(pty);
      await reader.until("Password: ");
      const asked = await pty.state();
      assert.deepEqual([asked.echo, asked.canonical, asked.utf8], [false, true, true]);
      const typed = ascii("secret\n");
      const before = (await pty.inputState?.(typed.byteLength)) ?? asked;
      assert.deepEqual([before.echo, before.canonical], [false, true]);
      // In other modes than those that are named nothing is written.
      assert.notEqual(await pty.writeIn?.({ echo: true, canonical: true }, ascii("no\n")), true);
      const isWritten = await pty.writeIn?.({ echo: false, canonical: true }, typed);
      assert.ok(pty.writeIn === undefined || isWritten === true);
      if (isWritten !== true) await pty.write(typed);
      await reader.until("ok");
      const after = await pty.state();
      assert.deepEqual([after.echo, after.canonical], [true, true]);
      const next = (await pty.inputState?.(1)) ?? after;
      assert.deepEqual([next.echo, next.canonical, next.queuedInputBytes], [true, true, 0]);
      assert.doesNotMatch(reader.text, /secret/);
    },
  },
];
