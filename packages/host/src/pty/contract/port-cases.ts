// What any driver must do, with or without an operating system: all they need is a program that echoes.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { DEFAULT_SIZE, type Size } from "@nacre/contracts";
import { MAX_QUEUED_OUTPUT_BYTES } from "../output-queue.ts";
import { MAX_QUEUED_INPUT_BYTES, type PtyDriver } from "../pty.ts";
import {
  ascii,
  assertRefused,
  ECHO_LAUNCH,
  programLaunch,
  type PtyCase,
  PtyReader,
  RAW,
  runToEnd,
  Scratch,
  scriptLaunch,
  spawnReady,
} from "./pty-fixtures.ts";

// No byte is lost, added or changed, whatever the reader does and however the program ends.

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
interface TailTrial {
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

/** Sizes that the kernel would quietly turn into something else. */
const BAD_SIZES: readonly unknown[] = [
  { cols: 0, rows: 24 },
  { cols: 80, rows: 0 },
  { cols: -1, rows: 24 },
  { cols: 80.5, rows: 24 },
  { cols: 0.4, rows: 24 },
  { cols: Number.NaN, rows: 24 },
  { cols: "80", rows: 24 },
  { cols: 1001, rows: 24 },
  { cols: 80, rows: 501 },
  { cols: 65_536, rows: 24 },
  { cols: 65_616, rows: 24 },
  { cols: 1e9, rows: 24 },
  { cols: 80 },
  { cols: 80, rows: 24, depth: 1 },
  null,
];

const startEcho = (driver: PtyDriver) => spawnReady(driver, ECHO_LAUNCH);

/** What a driver must do with or without an operating system. */
export const PORT_CASES: readonly PtyCase[] = [
  {
    name: "input comes back in order, in chunks that follow each other and own their buffers",
    async run(driver) {
      const { pty, reader } = await startEcho(driver);
      await using _ = pty;
      for (let line = 0; line < 2000; line++) await pty.write(ascii(`line ${line}\n`));
      const text = await reader.until("line 1999\n");
      const expected = Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join("");
      assert.equal(text, `ready${expected}`);
    },
  },
  {
    name: "input is taken at once: its bytes may be used again before the write is done",
    async run(driver) {
      const { pty, reader } = await startEcho(driver);
      await using _ = pty;
      const bytes = new Uint8Array(8 * 1024);
      const writes: Promise<void>[] = [];
      for (const letter of "abc") {
        bytes.fill(letter.charCodeAt(0));
        writes.push(pty.write(bytes));
        bytes.fill(0);
      }
      await Promise.all(writes);
      const expected = `ready${["a", "b", "c"].map((letter) => letter.repeat(bytes.byteLength)).join("")}`;
      assert.equal(await reader.until("c".repeat(bytes.byteLength)), expected);
    },
  },
  {
    name: "a size that is not two integers from 1 to 1000 and 500 is refused and changes nothing",
    async run(driver) {
      const { pty } = await startEcho(driver);
      await using _ = pty;
      for (const size of BAD_SIZES) {
        await assertRefused("invalid_argument", () => pty.resize(size as Size));
        await assertRefused("invalid_argument", () =>
          driver.spawn({ ...ECHO_LAUNCH, size: size as Size }),
        );
      }
      assert.deepEqual({ ...(await pty.state()).size }, DEFAULT_SIZE);
      for (const size of [
        { cols: 1, rows: 500 },
        { cols: 1000, rows: 1 },
        { cols: 132, rows: 43 },
      ]) {
        await pty.resize(size);
        assert.deepEqual({ ...(await pty.state()).size }, size);
      }
    },
  },
  {
    name: "input beyond the limit is refused whole, and all that was accepted arrives",
    async run(driver) {
      const { pty, reader } = await startEcho(driver);
      await using _ = pty;
      const piece = 64 * 1024;
      let accepted = 0;
      // Nothing is read meanwhile, so the program stops and the input has to wait.
      await assertRefused("input_queue_full", async () => {
        for (;;) {
          await pty.write(new Uint8Array(piece).fill(0x61));
          accepted += piece;
        }
      });
      assert.ok(accepted >= MAX_QUEUED_INPUT_BYTES - piece, `accepted ${accepted}`);
      assert.ok(accepted <= 3 * MAX_QUEUED_INPUT_BYTES, `accepted ${accepted}`);
      while (reader.bytes < "ready".length + accepted) assert.ok(await reader.next());
      await pty.write(ascii("end"));
      while (reader.bytes < "ready".length + accepted + 3) assert.ok(await reader.next());
      assert.equal(reader.bytes, "ready".length + accepted + 3);
    },
  },
  {
    name: "kill ends the program by a signal, once, and what was written can still be read",
    async run(driver) {
      const { pty, reader } = await startEcho(driver);
      await using _ = pty;
      await pty.write(ascii("last words"));
      await reader.until("last words");
      const report = await pty.kill();
      assert.equal(report.ended, 1);
      assert.deepEqual(report.survivors, []);
      const exit = await pty.exited;
      assert.equal(exit.exitCode, undefined);
      assert.match(exit.signal ?? "none", /^SIG(TERM|HUP)$/);
      assert.equal(exit.outputBytes, "readylast words".length);
      assert.equal((await pty.kill()).ended, 0);
      assert.equal(await pty.read(), undefined);
      assert.equal(await pty.read(), undefined);
    },
  },
  {
    name: "after the exit everything but reading is refused",
    async run(driver) {
      const { pty } = await startEcho(driver);
      await using _ = pty;
      await pty.kill();
      await pty.exited;
      await assertRefused("terminal_exited", () => pty.write(ascii("x")));
      await assertRefused("terminal_exited", () => pty.resize({ cols: 10, rows: 10 }));
      await assertRefused("terminal_exited", () => pty.state());
      await assertRefused("terminal_exited", () => pty.signal("SIGINT"));
    },
  },
  {
    name: "nonsense is refused and does nothing: text for bytes, unknown signals and targets, no time",
    async run(driver) {
      const { pty, reader } = await startEcho(driver);
      await using _ = pty;
      const text: unknown = "text";
      await assertRefused("invalid_argument", () => pty.write(text as Uint8Array));
      await assertRefused("invalid_argument", () => pty.signal("SIGNOPE" as NodeJS.Signals));
      await assertRefused("invalid_argument", () => pty.signal("SIGKILL", "all" as "tree"));
      await assertRefused("invalid_argument", () => pty.kill(-5));
      await assertRefused("invalid_argument", () => pty.kill(Number.NaN));
      await pty.write(ascii("alive"));
      await reader.until("alive");
    },
  },
];
