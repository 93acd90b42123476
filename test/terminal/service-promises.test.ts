import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test, vi } from "vitest";
import { isAlive } from "../support/is-alive.ts";
import { openHost } from "../support/open-host.ts";
import { DEADLINE_MS } from "../support/terminal-output.ts";
import { listenTo, serviceOver, type Told } from "./own-service.ts";

const host = await openHost();
const service = serviceOver(host);
const told = listenTo(service);
afterAll(async () => {
  await service.cleanup();
  await host[Symbol.asyncDispose]();
});

const DEADLINE = { timeout: DEADLINE_MS, interval: 10 };
const outputOf = (id: string): string => told.get(id)?.output ?? "";

/** A session of sh that shows nothing but what its commands write. */
async function start(env: Record<string, string> = {}): Promise<string> {
  const options = { shell: "/bin/sh", cwd: "/tmp", env: { PS1: "", HOME: "/nonexistent", ...env } };
  const { id } = (await service.createSession(options)) ?? { id: "" };
  service.write(id, "stty -echo; echo ready-$((1+1))\r");
  await expect.poll(() => outputOf(id), DEADLINE).toContain("ready-2\r\n");
  return id;
}

/** What came after the session was ready. */
const since = (id: string): string => outputOf(id).split("ready-2\r\n").at(-1) ?? "";

/** How a session ended, once it did. */
const endOf = (id: string, timeout = DEADLINE_MS): Promise<Told["ended"]> =>
  vi.waitFor(() => told.get(id)?.ended ?? Promise.reject(new Error(`${id} runs`)), {
    timeout,
    interval: 10,
  });

const linesTo = (last: number): string =>
  Array.from({ length: last }, (_, index) => `${index + 1}\r\n`).join("");

test("resizing while output comes loses nothing, neither live nor from the scrollback", async () => {
  const id = await start();
  service.write(
    id,
    "for i in 0 1 2 3 4; do seq $((i*1000+1)) $((i*1000+1000)); sleep 0.02; done; echo end\r",
  );
  for (let cols = 60; !outputOf(id).includes("end"); cols = cols === 60 ? 120 : 60) {
    service.resize(id, cols, 30);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(since(id)).toBe(`${linesTo(5000)}end\r\n`);
  expect(service.getScrollback(id)).toContain(linesTo(5000));
});

test("output right after a resize comes with the hint that it may be a redraw", async () => {
  const id = await start();
  const hints: boolean[] = [];
  const remove = service.onData((of, data, { redraw }) => of === id && hints.push(redraw));
  // As often as it takes: on a busy machine a program may answer when no redraw is expected any more.
  for (let cols = 90; cols < 190 && !hints.includes(true); cols++) {
    service.resize(id, cols, 30);
    service.write(id, "echo one\r");
    const count = hints.length;
    await expect.poll(() => hints.length, DEADLINE).toBeGreaterThan(count);
  }
  remove();
  expect(hints).toContain(true);
});

test("a viewer that fetches the scrollback again and again takes nothing from callbacks", async () => {
  const id = await start();
  service.write(id, "seq 1 3000; echo end\r");
  while (!outputOf(id).includes("end")) {
    service.getScrollbackAndClearPending(id);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(since(id)).toBe(`${linesTo(3000)}end\r\n`);
});

test("the end of a session is told after the last of 400 kB", async () => {
  const id = await start();
  const lengthAtExit = new Promise<number>((resolve) => {
    service.once("exit", () => resolve(since(id).length));
  });
  service.write(id, "head -c 400000 /dev/zero | tr '\\0' x; exit 0\r");
  expect(await lengthAtExit).toBe(400_000);
  expect(since(id)).toBe("x".repeat(400_000));
});

test("10 MB come in large pieces, and all of them", async () => {
  const id = await start();
  let [bytes, pieces] = [0, 0];
  const remove = service.onData((of, data) => {
    if (of !== id) return;
    bytes += data.length;
    pieces++;
  });
  service.write(id, "head -c 10000000 /dev/zero; exit 0\r");
  expect(await endOf(id, 25_000)).toEqual({ exitCode: 0, signal: undefined });
  remove();
  expect(bytes).toBe(10_000_000);
  // A timer that lets through 4096 characters at a time would take ten seconds.
  expect(pieces).toBeLessThan(10_000_000 / 4096);
});

test("a callback that is slow gets everything, and only holds up itself", async () => {
  const id = await start();
  let slow = "";
  const remove = service.onData((of, data) => {
    if (of !== id) return;
    slow += data;
    for (const until = performance.now() + 5; performance.now() < until;);
  });
  service.write(id, "seq 1 50000; exit 0\r");
  expect(await endOf(id)).toEqual({ exitCode: 0, signal: undefined });
  remove();
  expect(slow).toBe(linesTo(50_000));
  expect(since(id)).toBe(linesTo(50_000));
});

test("a callback that throws hurts nobody else, and what it threw is kept", async () => {
  const problem = new Error("not my day");
  const throwing = () => {
    throw problem;
  };
  const after: string[] = [];
  const removes = [service.onData(throwing), service.onExit(throwing)];
  service.prependListener("data", throwing);
  service.on("data", (_, data) => after.push(data));
  removes.push(service.onData((_, data) => after.push(data)));
  const id = await start();
  service.write(id, "echo good; exit 4\r");
  expect(await endOf(id)).toEqual({ exitCode: 4, signal: undefined });
  for (const remove of removes) remove();
  service.removeAllListeners();
  expect(since(id)).toBe("good\r\n");
  // Both the other event listener and the other callback heard it.
  expect(after.join("").split("good").length - 1).toBe(2);
  expect(service.lastError).toBe(problem);
});

test("what a program says while it is ended is heard, also during a resize", async () => {
  const id = await start();
  service.write(
    id,
    "trap 'echo cleaned up; exit 9' TERM; echo armed; while :; do sleep 0.02; done\r",
  );
  await expect.poll(() => since(id), DEADLINE).toContain("armed");
  service.resize(id, 100, 30);
  expect(service.killSession(id, 20_000)).toBe(true);
  expect(await endOf(id)).toEqual({ exitCode: 9, signal: undefined });
  expect(since(id)).toContain("cleaned up");
});

test("killing ends also what a session started in the background, and what does not listen", async () => {
  const id = await start();
  const child = "sh -c 'echo child $$; exec sleep 999'";
  service.write(id, `trap '' TERM HUP; ${child} & setsid ${child} &\r`);
  const findPids = () => Array.from(since(id).matchAll(/child (\d+)/g), ([, pid]) => Number(pid));
  await expect.poll(findPids, DEADLINE).toHaveLength(2);
  const pids = findPids();
  expect(pids.map(isAlive)).toEqual([true, true]);
  expect(service.killSession(id, 100)).toBe(true);
  expect(await endOf(id)).toEqual({ exitCode: null, signal: "SIGKILL" });
  await expect.poll(() => pids.map(isAlive), DEADLINE).toEqual([false, false]);
  expect(service.getSession(id)).toBeUndefined();
});

test("a program that a signal ended has no exit code", async () => {
  const id = await start();
  service.write(id, "kill -9 $$\r");
  expect(await endOf(id)).toEqual({ exitCode: null, signal: "SIGKILL" });
});

test("of many sizes in a moment the last one holds", async () => {
  const id = await start();
  for (let cols = 101; cols <= 150; cols++) expect(service.resize(id, cols, 30)).toBe(true);
  await expect
    .poll(() => {
      service.write(id, "stty size\r");
      return since(id);
    }, DEADLINE)
    .toContain("30 150");
});

test("of five sessions at once no more than one exists where one is allowed", async () => {
  const single = serviceOver(host, 1);
  const options = { shell: "/bin/sh", cwd: "/tmp" };
  const sessions = await Promise.all([1, 2, 3, 4, 5].map(() => single.createSession(options)));
  expect(sessions.filter((session) => session !== null)).toHaveLength(1);
  await single.cleanup();
});

test("the scrollback is cut at a line, and every letter and colour in it is whole", async () => {
  const id = await start();
  const line = "\u001b[38;2;1;2;3m漢🙂é\u001b[0m";
  service.write(id, `i=0; while [ $i -lt 3000 ]; do echo '${line}'; i=$((i+1)); done; echo end\r`);
  await expect.poll(() => outputOf(id), DEADLINE).toContain("end\r\n");
  const scrollback = service.getScrollback(id) ?? "";
  expect(scrollback.length).toBeLessThanOrEqual(50_000);
  expect(scrollback.length).toBeGreaterThan(49_000);
  expect(scrollback.replaceAll(`${line}\r\n`, "")).toBe("end\r\n");
});

test("a program that uses the service ends by itself when its sessions did, and its secrets stay with it", async () => {
  const program = join(import.meta.dirname, "service-victim.ts");
  const env = {
    ...process.env,
    HOME: "/nonexistent",
    TERMINAL_MAX_SESSIONS: "abc",
    TERMINAL_PASSWORD: "secret-one",
    ANTHROPIC_API_KEY: "secret-two",
  };
  const options = { env, timeout: 25_000, encoding: "utf8" } as const;
  const args = ["--conditions=nacre-source", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  const said = JSON.parse(stdout) as Record<string, unknown>;
  expect(said).toMatchObject({ maxSessions: 1000, ended: 2 });
  expect(said["environment"]).toContain("TERM=xterm-256color");
  expect(said["environment"]).not.toMatch(/secret-|TERMINAL_PASSWORD|ANTHROPIC/);
});
