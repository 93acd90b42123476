import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { runDirectoryOf } from "@nacre/client/quick";
import type { Discovery } from "@nacre/host";
import { flagsOf, serveCommand } from "./commands/serve.ts";
import { AS_BEFORE, earlierSources } from "./earlier-options.ts";
import { OptionValues } from "./option-values.ts";
import { parseWords } from "./parse-words.ts";

/** An older mark is stale: no restart takes that long. */
const MAX_RESTART_MS = 120_000;

/** By pid. */
const MARK = /^restarting-(\d+)$/;

/** Marks that this process restarts the daemon: another that starts one meanwhile would not know its settings. */
export function markRestart(): Disposable {
  const path = join(runDirectoryOf(), `restarting-${process.pid}`);
  writeFileSync(path, "", { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

export async function isRestarting(): Promise<boolean> {
  const run = runDirectoryOf();
  const names = await readdir(run).catch(() => []);
  const marks = await Promise.all(names.map((name) => isRestartedBy(run, name)));
  return marks.includes(true);
}

async function isRestartedBy(run: string, name: string): Promise<boolean> {
  const pid = MARK.exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    const { mtimeMs } = await stat(join(run, name));
    return Math.abs(Date.now() - mtimeMs) < MAX_RESTART_MS && process.kill(Number(pid), 0);
  } catch {
    return false; // It is over, or its process is gone.
  }
}

/** For starting another in the same way. */
export interface DaemonSettings {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** At the same port, so that clients find the next one there. */
export function readSettings({ pid, endpoints }: Pick<Discovery, "pid" | "endpoints">) {
  const words = readList(`/proc/${pid}/cmdline`) ?? [];
  const verb = words.findIndex((word) => word === "serve" || word === "daemon");
  const flags = verb < 0 ? [] : withoutPort(words.slice(verb + 1));
  const variables = readList(`/proc/${pid}/environ`);
  const env = variables ? Object.fromEntries(variables.map(splitVariable)) : process.env;
  const port = String(endpoints.http.port);
  const settings: DaemonSettings = { flags: [...flags, "--port", port], env, cwd: readCwd(pid) };
  return settings;
}

/** Relative paths count from where it will run. */
export async function requireStartable({ flags, env, cwd }: DaemonSettings): Promise<void> {
  const { checkRestart, findDirectories, loadConfig } = await import("@nacre/host");
  const { options } = parseWords(serveCommand, flags);
  const given = flagsOf(serveCommand.options ?? [], new OptionValues(options));
  const here = process.cwd();
  process.chdir(cwd);
  try {
    const directories = findDirectories(env, homedir());
    const sources = await earlierSources({ env, directories, flags: given });
    checkRestart(loadConfig(sources).config, directories);
  } finally {
    process.chdir(here);
  }
}

function withoutPort(flags: readonly string[]): readonly string[] {
  return flags.filter(
    (flag, index) =>
      flag !== `--${AS_BEFORE}` &&
      flag !== "--port" &&
      !flag.startsWith("--port=") &&
      flags[index - 1] !== "--port",
  );
}

function splitVariable(variable: string): readonly [name: string, value: string] {
  const end = variable.indexOf("=");
  return [variable.slice(0, end), variable.slice(end + 1)];
}

function readList(path: string): readonly string[] | undefined {
  try {
    return readFileSync(path, "utf8").split("\0").slice(0, -1);
  } catch {
    return undefined; // Other systems do not tell: then it is started as by any verb.
  }
}

function readCwd(pid: number): string {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    // `/proc/<pid>/cwd` of a removed directory has a suffix.
    return existsSync(cwd) ? cwd : "/";
  } catch {
    return "/";
  }
}
