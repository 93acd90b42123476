import { existsSync } from "node:fs";
import type { ConfigSources, ServeOptions } from "@nacre/host";

/** The option of `serve` with which verbs start a daemon. */
export const AS_BEFORE = "as-before";

/** Starts from what the last `nacre serve` was given; relative paths count from where that ran. */
export async function earlierSources(sources: ConfigSources): Promise<ConfigSources> {
  const { readServeOptions } = await import("@nacre/host");
  const earlier = readServeOptions(sources.directories);
  if (!earlier) return sources;
  if (existsSync(earlier.cwd)) process.chdir(earlier.cwd);
  return {
    ...sources,
    env: { ...earlier.variables, ...sources.env },
    flags: { ...earlier.flags, ...sources.flags },
  };
}

/** As words of a command line. */
export function wordsOf({ flags, variables }: ServeOptions): readonly string[] {
  return [
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    ...Object.entries(flags).flatMap(([name, value]) =>
      Array.isArray(value)
        ? value.map((one) => `--${name}=${one}`)
        : [value === true ? `--${name}` : `--${name}=${value}`],
    ),
  ];
}
