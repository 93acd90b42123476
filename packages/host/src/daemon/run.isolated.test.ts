import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultConfig } from "../config/config.ts";
import { programOf } from "../testing/program-of.ts";
import { forgetVariables } from "./run.ts";

const HOST = programOf(join(import.meta.dirname, "../index.ts"));

/** A process of a daemon that fails when it is told to by a signal, where nobody foresees it. */
const SCRIPT = `
  const { runDaemon } = await import(${JSON.stringify(HOST.at(-1))});
  const [home, config] = process.argv.slice(1);
  const directories = { home, state: home, run: home + "/run", config: home };
  await runDaemon({ config: JSON.parse(config), directories, version: "0" });
  process.on("SIGUSR2", () => { throw new TypeError("nobody foresaw this"); });
  console.log("up");`;

async function run(home: string): Promise<ChildProcess> {
  const config = JSON.stringify({ ...defaultConfig(), port: 0 });
  const args = [...HOST.slice(0, -1), "--input-type=module", "-e", SCRIPT, home, config];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  await once(child.stdout, "data");
  return child;
}

const readLog = (home: string): string => readFileSync(join(home, "daemon.log"), "utf8");

test("a failure that nobody foresaw is logged and ends the daemon", async () => {
  const home = mkdtempSync(join(tmpdir(), "nacre-run-"));
  const child = await run(home);
  child.kill("SIGUSR2");
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(readLog(home)).toMatch(/"error","message":"an unforeseen failure.*nobody foresaw this/);
});

test("it lives on when nobody reads what it says, and still ends in order", async () => {
  const home = mkdtempSync(join(tmpdir(), "nacre-run-"));
  const child = await run(home);
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(readLog(home)).toMatch(/"message":"ending".*\n.*"message":"ended"/);
});

test("what was said about the daemon is forgotten before it starts anything", () => {
  const env = { PATH: "/bin", NACRE_HOME: "/x", NACRE_PTY_ID: "1", TERMINAL_PASSWORD: "p" };
  forgetVariables(env);
  expect(env).toEqual({ PATH: "/bin" });
});
