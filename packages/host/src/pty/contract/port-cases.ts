// What any driver must do, with or without an operating system: all they need is a program that echoes.
import assert from "node:assert/strict";
import { DEFAULT_SIZE, type Size } from "@nacre/contracts";
import { MAX_QUEUED_INPUT_BYTES, type PtyDriver } from "../pty.ts";
import { ascii, assertRefused, ECHO_LAUNCH, type PtyCase, spawnReady } from "./tools.ts";

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
