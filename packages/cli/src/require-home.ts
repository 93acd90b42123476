import { existsSync } from "node:fs";
import { NacreError } from "@nacre/contracts/error";

/** Refuses a `NACRE_HOME` that does not exist: reading verbs and misspellings must not create it. */
export function requireHome(): void {
  const home = process.env["NACRE_HOME"];
  if (!home || existsSync(home)) return;
  throw new NacreError("unavailable", `NACRE_HOME: ${home} does not exist`, {
    field: "NACRE_HOME",
    suggestion: "Correct it, or create it with `nacre new` or `nacre serve`.",
  });
}
