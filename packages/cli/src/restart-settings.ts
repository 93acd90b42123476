import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { homedir } from "node:os";
import type { Discovery } from "@nacre/host";
import { flagsOf, serveCommand } from "./commands/serve.ts";
import { AS_BEFORE, earlierSources } from "./earlier-options.ts";
import { OptionValues } from "./given.ts";
import { parseWords } from "./parse-words.ts";

/** How a daemon was started, so that another can be started in the same way. */
export interface DaemonSettings {
  /** The options of `serve`. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** How this daemon was started, as far as the system tells; at the same port, so that who knows its address finds the next one there. */
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

/** Refuses settings with which the next daemon could not start; paths in them are meant from where it will run. */
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
    // Of one that was removed only the name is told, with a remark behind it.
    return existsSync(cwd) ? cwd : "/";
  } catch {
    return "/";
  }
}
