import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { NacreError, parse } from "@nacre/contracts";
import { hasErrno } from "../base/errno.ts";
import { type Config, ConfigSchema, decodeSetting, type SettingName, SETTINGS } from "./config.ts";
import type { Directories } from "./directories.ts";

type FlagValue = boolean | string | readonly string[];

/** Weakest first: file, variables, flags. */
export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directories: Directories;
  /** Names without dashes. */
  readonly flags?: Readonly<Record<string, FlagValue | undefined>>;
}

export interface LoadedConfig {
  readonly config: Config;
  /** `default`, the file's path, the variable or the flag. */
  readonly origins: Readonly<Record<SettingName, string>>;
  /** May not exist. */
  readonly file: string;
}

interface SourcedSetting {
  readonly name: SettingName;
  readonly value: unknown;
  readonly origin: string;
}

const NAMES = Object.keys(SETTINGS) as SettingName[];

/** A larger file is not a config file. */
const MAX_FILE_BYTES = 1024 * 1024;

const OTHERS_MAY_READ = 0o004;
const OTHERS_MAY_WRITE = 0o002;

/** Refusals name the source and the setting. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const named = sources.env["NACRE_CONFIG"];
  const file = named || join(sources.directories.config, "config.json");
  const given = [
    ...readFileSettings(file, Boolean(named)),
    ...readEnvSettings(sources.env),
    ...readFlagSettings(sources.flags ?? {}),
  ];
  const origins = Object.fromEntries(NAMES.map((name) => [name, "default"]));
  const values: Record<string, unknown> = {};
  for (const { name, value, origin } of given) {
    values[name] = parseSetting(name, value, origin);
    origins[name] = origin;
  }
  return {
    config: ConfigSchema.parse(values),
    origins: origins as Record<SettingName, string>,
    file,
  };
}

function parseSetting(name: SettingName, value: unknown, origin: string): unknown {
  try {
    return parse(ConfigSchema.shape[name], value, name);
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    // The variable or flag already names the setting; its value may be secret and is not repeated.
    throw new NacreError("invalid_argument", `${origin}: ${error.message}`, {
      field: name,
      cause: error,
      suggestion: "Correct it; `nacre config` lists every setting and where it comes from.",
    });
  }
}

function* readFileSettings(path: string, isNamed: boolean): Generator<SourcedSetting> {
  const content = readConfigFile(path, isNamed);
  if (content === undefined) return;
  const { text, mode } = content;
  for (const [name, value] of Object.entries(parseObject(text, path))) {
    if (!isSettingName(name)) {
      throw new NacreError("invalid_argument", `${path}: there is no setting ${name}`, {
        field: name,
        suggestion: `Remove or correct it; the settings are ${NAMES.join(", ")}.`,
      });
    }
    if (SETTINGS[name].isSecret && (mode & OTHERS_MAY_READ) !== 0) {
      throw new NacreError("forbidden", `${path} holds ${name} and everybody may read it`, {
        field: name,
        suggestion: `Run \`chmod 600 ${path}\`.`,
      });
    }
    yield { name, value, origin: path };
  }
}

function* readEnvSettings(env: ConfigSources["env"]): Generator<SourcedSetting> {
  for (const name of NAMES) {
    const given = readEnvSetting(env, name);
    if (given) yield given;
  }
}

function readEnvSetting(env: ConfigSources["env"], name: SettingName): SourcedSetting | undefined {
  const setting = SETTINGS[name];
  const variable = setting.variables.find((candidate) => env[candidate]);
  if (variable === undefined) return undefined;
  const addition = setting.additions?.[variable];
  const texts = [env[variable], addition && env[addition]].filter(Boolean);
  return { name, value: decodeSetting(setting, texts.join(delimiter)), origin: variable };
}

/** One setting from the environment; refuses a wrong value like a daemon does. */
export function readSettingFromEnv<Name extends SettingName>(
  env: ConfigSources["env"],
  name: Name,
): Config[Name] | undefined {
  const given = readEnvSetting(env, name);
  return given && (parseSetting(name, given.value, given.origin) as Config[Name]);
}

function* readFlagSettings(flags: NonNullable<ConfigSources["flags"]>): Generator<SourcedSetting> {
  for (const name of NAMES) {
    const { flag } = SETTINGS[name];
    const value = flag === undefined ? undefined : flags[flag];
    if (flag === undefined || value === undefined) continue;
    const decoded = typeof value === "string" ? decodeSetting(SETTINGS[name], value) : value;
    yield { name, value: decoded, origin: `--${flag}` };
  }
}

function readConfigFile(
  path: string,
  isNamed: boolean,
): { text: string; mode: number } | undefined {
  let fd: number;
  try {
    // O_NONBLOCK: a FIFO at this path must not block the start.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    if (!isNamed && hasErrno(cause, "ENOENT")) return undefined;
    throw new NacreError("invalid_argument", `the config file ${path} cannot be read`, {
      cause,
      suggestion: "Create it, make it readable, or leave NACRE_CONFIG out.",
    });
  }
  try {
    const { mode, uid, size } = fstatSync(fd);
    const isFile = (mode & constants.S_IFMT) === constants.S_IFREG;
    const isTrusted = [0, process.geteuid?.() ?? uid].includes(uid);
    if (!isFile || size > MAX_FILE_BYTES || !isTrusted || (mode & OTHERS_MAY_WRITE) !== 0) {
      throw new NacreError("forbidden", `the config file ${path} may not be trusted`, {
        suggestion: "Use a plain file of your own that others may not write to.",
      });
    }
    return { text: readFileSync(fd, "utf8"), mode };
  } finally {
    closeSync(fd);
  }
}

function parseObject(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may hold a password.
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new NacreError("invalid_argument", `${path}: expected a JSON object of settings`, {
    suggestion: 'Write an object such as {"port": 6227}.',
  });
}

const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);
