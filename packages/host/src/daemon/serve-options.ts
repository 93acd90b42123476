import { rmSync } from "node:fs";
import { join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { z } from "zod";
import { readPrivateFile, writePrivateFile } from "../auth/private-file.ts";
import { SETTING_VARIABLES, SETTINGS } from "../config/config.ts";
import type { Directories } from "../config/directories.ts";

const FILE = "serve.json";

/** Names the config file, which has settings of its own. */
const CONFIG_VARIABLE = "NACRE_CONFIG";

const ServeOptions = z.strictObject({
  /** Names without dashes. */
  flags: z.record(z.string(), z.union([z.boolean(), z.string(), z.array(z.string())])),
  /** Never one with a secret. */
  variables: z.record(z.string(), z.string()),
  /** Base of relative paths. */
  cwd: z.string(),
});

/** What `nacre serve` was given, so that a daemon which a verb starts later is configured alike. */
export type ServeOptions = z.infer<typeof ServeOptions>;

const SECRET_VARIABLES = Object.values(SETTINGS).flatMap(({ isSecret, variables }) =>
  isSecret ? variables : [],
);

/** Without secrets. */
export function settingVariablesOf(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = [CONFIG_VARIABLE, ...SETTING_VARIABLES].filter(
    (name) => !SECRET_VARIABLES.includes(name),
  );
  return Object.fromEntries(kept.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** Undefined when there were none. */
export function readServeOptions({ state }: Directories): ServeOptions | undefined {
  const path = join(state, FILE);
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    return ServeOptions.parse(JSON.parse(text));
  } catch (cause) {
    throw new NacreError("unavailable", `${path} does not hold the options of a daemon`, {
      cause,
      suggestion: "Run `nacre serve` with the options that you want, which writes it anew.",
    });
  }
}

export function writeServeOptions({ state }: Directories, options: ServeOptions): void {
  const path = join(state, FILE);
  const isNothing = [options.flags, options.variables].every(
    (given) => Object.keys(given).length === 0,
  );
  if (isNothing) rmSync(path, { force: true });
  else writePrivateFile(path, `${JSON.stringify(options)}\n`);
}
