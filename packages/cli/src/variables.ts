import { NacreError } from "@nacre/contracts/error";

/** Reads variables for a program from words such as `NAME=VALUE`. */
export function parseVariables(pairs: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) {
      throw new NacreError("invalid_argument", `--env: ${pair} is no NAME=VALUE`, { field: "env" });
    }
    variables[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return variables;
}
