// What becomes of programs when the daemon ends, as a person sees it.
import { mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { NacreHome } from "./nacre-home.ts";

const MAX_MS = 120_000;
vi.setConfig({ testTimeout: MAX_MS, hookTimeout: MAX_MS });

const home = new NacreHome();
afterAll(() => home[Symbol.asyncDispose]());

interface Status {
  readonly pid: number;
  readonly url: string;
  readonly keeper: { readonly pid: number; readonly programs: number } | null;
}

const status = async (): Promise<Status> =>
  (await home.json("nacre status")).result as unknown as Status;

/** Everything that a terminal wrote, as it is recorded. */
const linesOf = async (name: string): Promise<string[]> =>
  (await home.sh(`nacre logs ${name}`)).stdout.split("\n").filter(Boolean);

/** A terminal as the daemon tells it. */
async function read(name: string): Promise<unknown> {
  const { result } = await home.json("nacre ls -a");
  const listed = result?.["terminals"] as readonly {
    readonly id: string;
    readonly name?: string;
  }[];
  const id = listed.find((one) => one.name === name)?.id ?? "";
  const [origin = "", token = ""] = (await status()).url.split("#token=");
  const headers = { authorization: `Bearer ${token}` };
  return await (await fetch(new URL(`/api/terminals/${id}`, origin), { headers })).json();
}

const isGone = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return true;
  }
};

test("programs go on over `restart`, `stop --keep` and kill -9, at the same address, and end with `stop`", async () => {
  const counting =
    "i=0; while [ ! -e done ]; do i=$((i+1)); echo line $i; sleep 0.02; done; exit 3";
  await home.sh(`nacre new -n counting -- sh -c '${counting}'`);
  await home.sh("nacre wait counting --text 'line 5' --after 0");
  const first = await status();
  expect(first.keeper).toMatchObject({ programs: 1 });

  const run = join(home.path, ".local/state/nacre/run");
  const names = new Set<string | null>();
  const watcher = watch(run, (_, name) => names.add(name));
  const restarted = await home.sh("nacre restart");
  watcher.close();
  // Meanwhile nobody else starts one, which would not know its settings.
  expect([...names]).toContainEqual(expect.stringMatching(/^restarting-\d+$/));
  expect(readdirSync(run).filter((name) => name.startsWith("restarting"))).toEqual([]);
  expect(restarted.stdout).toMatch(/^The daemon runs with pid \d+\. 1 program went on\.$/m);
  const second = await status();
  expect(second).toEqual({ ...second, url: first.url, keeper: first.keeper });
  expect(second.pid).not.toBe(first.pid);

  const stopped = await home.sh("nacre stop --keep");
  expect(stopped.stdout).toBe(`The daemon with pid ${second.pid} has ended. 1 program went on.\n`);
  const away = await home.sh("nacre status");
  expect([away.code, away.stderr]).toEqual([7, expect.stringContaining("has 1 program")]);
  // The next verb starts a daemon, which goes on with what it finds.
  await home.sh("nacre ls");
  const third = await status();
  process.kill(third.pid, "SIGKILL");
  await vi.waitFor(() => expect(isGone(third.pid)).toBe(true), { timeout: MAX_MS });
  await home.sh("nacre restart");
  expect((await status()).keeper).toEqual(first.keeper);

  writeFileSync(join(home.work, "done"), "");
  await home.sh("nacre wait counting --exit --after 0");
  const lines = await linesOf("counting");
  expect(lines.length).toBeGreaterThan(5);
  expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`));
  expect(await read("counting")).toMatchObject({ state: "exited", exitCode: 3 });

  await home.sh("nacre stop");
  expect((await home.sh("nacre status")).stderr).toContain("no daemon runs for");
  await vi.waitFor(() => expect(isGone(first.keeper?.pid ?? 0)).toBe(true), { timeout: MAX_MS });
});

test("`stop` ends what a daemon that was killed left, and says so; the next one tells what was lost", async () => {
  await home.sh("nacre new -n left -- sleep 600");
  const { pid, keeper } = await status();
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(isGone(pid)).toBe(true), { timeout: MAX_MS });
  const { stdout } = await home.sh("nacre stop");
  expect(stdout).toBe(`The keeper with pid ${keeper?.pid ?? 0} and its 1 program have ended.\n`);
  expect(isGone(keeper?.pid ?? 0)).toBe(true);
  await home.sh("nacre ls");
  expect(await read("left")).toMatchObject({ state: "lost", lostReason: "keeperEnded" });
});

test("verbs that find the daemon killed all wait for the one that one of them starts", async () => {
  await home.sh("nacre ls");
  const { pid } = await status();
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(isGone(pid)).toBe(true), { timeout: MAX_MS });
  const verbs = Array.from({ length: 6 }, () => home.sh("nacre ls -q"));
  const ended = (await Promise.all(verbs)).map(({ code, stderr }) => ({ code, stderr }));
  expect(ended).toEqual(verbs.map(() => ({ code: 0, stderr: "" })));
});

test("a daemon that could not be started anew is not ended", async () => {
  await home.sh("nacre new -n staying -- sleep 600");
  const before = await status();
  const directory = join(home.path, ".config/nacre");
  mkdirSync(directory, { recursive: true });
  const settings = join(directory, "config.json");
  try {
    writeFileSync(settings, '{"prot":1}', { mode: 0o600 });
    const { code, stderr } = await home.sh("nacre restart");
    expect([code, stderr]).toEqual([2, expect.stringContaining("there is no setting prot")]);
    writeFileSync(settings, '{"keeper":false}', { mode: 0o600 });
    const off = await home.sh("nacre restart");
    expect(off.stderr).toContain("programs still run in the keeper");
    expect((await status()).pid).toBe(before.pid);
  } finally {
    rmSync(settings);
    await home.sh("nacre rm -f staying");
  }
});

test("a daemon that a program in a terminal started outlives that terminal", async () => {
  const env = { NACRE_HOME: join(home.path, "inner") };
  try {
    const inner = `NACRE_HOME='${env.NACRE_HOME}' nacre new -n inner -- sleep 600; sleep 600`;
    await home.sh(`nacre new -n outer -- sh -c "${inner}"`);
    await vi.waitFor(async () => expect((await home.sh("nacre status", env)).code).toBe(0), {
      timeout: MAX_MS,
    });
    const before = (await home.json("nacre status", env)).result;
    await home.sh("nacre rm -f outer");
    expect((await home.json("nacre status", env)).result).toMatchObject({ pid: before?.["pid"] });
  } finally {
    await home.sh("nacre stop", env);
  }
});

test("without a keeper nothing is ended by surprise", async () => {
  const env = { NACRE_HOME: join(home.path, "alone"), NACRE_KEEPER: "off" };
  try {
    await home.sh("nacre new -n alone -- sleep 600", env);
    for (const line of ["nacre restart", "nacre stop --keep"]) {
      const { code, stderr } = await home.sh(line, env);
      expect([code, stderr]).toEqual([7, expect.stringContaining("run in the daemon itself")]);
    }
    expect((await home.json("nacre status", env)).result).toMatchObject({ keeper: null });
    await home.sh("nacre rm -f alone", env);
    expect((await home.sh("nacre restart", env)).code).toBe(0);
  } finally {
    await home.sh("nacre stop", env);
  }
});

test("an answer that was given before kill -9 is told to who asked", async () => {
  const { result } = await home.json("nacre new -n asked -- sleep 1000");
  const id = String(result?.["id"]);
  const socket = String((await home.json("nacre status")).result?.["socket"]);
  const requests = `curl -sS --unix-socket '${socket}' 'http://localhost/api/terminals/${id}/input-requests`;
  const asked = await home.sh(`${requests}' --json '{"prompt":"Deploy?"}'`);
  const { request } = JSON.parse(asked.stdout) as { request: { requestId: string } };
  expect((await home.sh("nacre answer asked 'yes, on Monday'")).code).toBe(0);
  const { pid } = await status();
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(isGone(pid)).toBe(true), { timeout: MAX_MS });
  await home.sh("nacre restart");
  const told = await home.sh(`${requests}/${request.requestId}'`);
  expect(JSON.parse(told.stdout)).toMatchObject({ outcome: "answered", text: "yes, on Monday" });
  await home.sh("nacre rm -f asked --now");
});
