import { readFileSync } from "node:fs";
import { DEFAULT_SIZE } from "@nacre/contracts";
import { expect, test } from "vitest";
import {
  ascii,
  PIPES_CANNOT,
  programLaunch,
  PtyReader,
  rawByNature,
  runToEnd,
  Scratch,
  scriptLaunch,
  spawnReady,
} from "./contract/pty-fixtures.ts";
import { MAX_QUEUED_OUTPUT_BYTES } from "./output-queue.ts";
import { pipePty } from "./pipe-pty.ts";
import { readProcess } from "./process-table.ts";
import { ptyContract } from "./pty.contract.ts";
import type { Chunk, Pty } from "./pty.ts";

ptyContract(rawByNature(pipePty), PIPES_CANNOT);

/** All chunks of a program, as text. */
async function chunksOf(pty: Pty): Promise<[stream: Chunk["stream"], text: string][]> {
  const chunks: [Chunk["stream"], string][] = [];
  const reader = new PtyReader(pty);
  for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
    chunks.push([chunk.stream, Buffer.from(chunk.bytes).toString("latin1")]);
  }
  return chunks;
}

test("standard output and standard error come apart, in the order of their arrival", async () => {
  const script = "printf one; read x; printf two >&2; read x; printf three";
  await using pty = await pipePty.spawn(scriptLaunch(script));
  expect(await pty.read()).toEqual({ offset: 0, bytes: new Uint8Array(ascii("one")) });
  await pty.write(ascii("\n"));
  const second = { offset: 3, bytes: new Uint8Array(ascii("two")), stream: "stderr" };
  expect(await pty.read()).toEqual(second);
  await pty.write(ascii("\n"));
  expect(await pty.read()).toEqual({ offset: 6, bytes: new Uint8Array(ascii("three")) });
  expect(await pty.exited).toEqual({ exitCode: 0, outputBytes: 11, drained: true });
});

test("floods of both are whole, and no chunk has bytes of both", async () => {
  const script = "yes out | head -c 1000000 & yes error | head -c 900000 >&2; wait";
  await using pty = await pipePty.spawn(scriptLaunch(script));
  const chunks = await chunksOf(pty);
  const textOf = (wanted: Chunk["stream"]): string =>
    chunks.map(([stream, text]) => (stream === wanted ? text : "")).join("");
  expect(textOf(undefined)).toBe("out\n".repeat(250_000));
  expect(textOf("stderr")).toBe("error\n".repeat(150_000));
  expect((await pty.exited).outputBytes).toBe(1_900_000);
});

test("a reader that does not read holds back both", async () => {
  const { pty } = await spawnReady(pipePty, scriptLaunch("printf ready; yes & exec yes no >&2"));
  // A program that is held back sleeps in its write, and goes on sleeping.
  for (let asleep = 0; asleep < 200; await new Promise(setImmediate)) {
    asleep = readProcess(pty.leader.pid)?.state === "S" ? asleep + 1 : 0;
  }
  await pty[Symbol.asyncDispose]();
  expect((await pty.exited).outputBytes).toBeLessThan(3 * MAX_QUEUED_OUTPUT_BYTES);
});

test("a program may open its output by name, as scripts do", async () => {
  const script = "echo out > /dev/stdout; echo error > /dev/stderr; exec cat /dev/stdin";
  await using pty = await pipePty.spawn(scriptLaunch(script));
  await pty.write(ascii("in\n"));
  await pty.endInput?.();
  const chunks = await chunksOf(pty);
  expect(chunks.filter(([stream]) => stream === "stderr")).toEqual([["stderr", "error\n"]]);
  expect(chunks.flatMap(([stream, text]) => (stream ? [] : text)).join("")).toBe("out\nin\n");
  expect((await pty.exited).exitCode).toBe(0);
});

test("the input ends after all that was written, and takes nothing more", async () => {
  using scratch = new Scratch();
  const script = 'sleep 0.05; cat > "$1"; printf end';
  await using pty = await pipePty.spawn(scriptLaunch(script, scratch.file("in")));
  await pty.write(new Uint8Array(1_000_000).fill(0x61));
  await pty.endInput?.();
  await pty.endInput?.();
  await expect(pty.write(ascii("more"))).rejects.toMatchObject({ code: "conflict" });
  expect(await new PtyReader(pty).toEnd()).toBe("end");
  expect(readFileSync(scratch.file("in"), "latin1")).toBe("a".repeat(1_000_000));
  await pty.endInput?.();
});

test("input is refused once the program closed it, and waits for nobody", async () => {
  const launch = scriptLaunch("exec < /dev/null; printf ready; exec sleep 1000");
  const { pty } = await spawnReady(pipePty, launch);
  await using _ = pty;
  await expect(pty.write(ascii("x"))).rejects.toMatchObject({ code: "conflict" });
  await expect(pty.write(ascii("x"))).rejects.toMatchObject({ code: "conflict" });
  expect(await pty.state()).toEqual({ size: DEFAULT_SIZE, queuedInputBytes: 0 });
});

test("a pipe that breaks ends whoever writes to it, as in any shell", async () => {
  const { text, exit } = await runToEnd(pipePty, scriptLaunch("yes | head -n 1; exit 3"));
  expect([text, exit.exitCode]).toEqual(["y\n", 3]);
});

test("a program that closed its output goes on, and its exit is seen", async () => {
  const launch = scriptLaunch("printf ready; exec > /dev/null 2>&1; read x; exit 4");
  const { pty, reader } = await spawnReady(pipePty, launch);
  await using _ = pty;
  expect(await reader.next()).toBeUndefined();
  await pty.write(ascii("\n"));
  expect(await pty.exited).toEqual({ exitCode: 4, outputBytes: 5, drained: true });
});

test("a program leads a session of its own, without a terminal", async () => {
  const { pty } = await spawnReady(pipePty, scriptLaunch("printf ready; exec sleep 1000"));
  await using _ = pty;
  const { pid } = pty.leader;
  expect(readProcess(pid)).toMatchObject({ session: pid, group: pid, parent: process.pid });
  const { exit } = await runToEnd(pipePty, scriptLaunch(": < /dev/tty"));
  expect(exit.exitCode).not.toBe(0);
});

test("a program has no descriptor but its pipes", async () => {
  await using _ = await pipePty.spawn(programLaunch("/bin/sleep", "1000"));
  const { text } = await runToEnd(pipePty, programLaunch("/bin/ls", "-l", "/proc/self/fd"));
  const links = text.split("\n").flatMap((line) => /(\d+ -> .*)/.exec(line)?.[1] ?? []);
  expect(links).toEqual([
    ...[0, 1, 2].map((fd) => expect.stringMatching(`^${fd} -> pipe:`)),
    expect.stringMatching(/^3 -> \/proc\/\d+\/fd$/),
  ]);
});

test("what escaped every tie but holds a pipe is named and left alone", async () => {
  const script = "( setsid env -i sh -c 'echo pid:$$; exec sleep 1000' & ) ; exec cat";
  await using pty = await pipePty.spawn(scriptLaunch(script));
  const reader = new PtyReader(pty);
  const escaped = Number(/pid:(\d+)/.exec(await reader.until("\n"))?.[1]);
  try {
    const { survivors } = await pty.kill();
    expect(survivors.map(({ pid }) => pid)).toEqual([escaped]);
    expect((await pty.exited).drained).toBe(false);
  } finally {
    process.kill(escaped, "SIGKILL");
  }
  await reader.toEnd();
});
