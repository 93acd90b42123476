import { existsSync } from "node:fs";
import { NacreError } from "@nacre/contracts/error";

/** Refuses a `NACRE_HOME` that does not exist: reading verbs and misspellings must not create it. */
export function requireHome(): void {
  const home = process.env["NACRE_HOME"];
  if (!home || existsSync(home)) return;
  throw new NacreError("unavailable", `NACRE_HOME: there is no ${home}`, {
    field: "NACRE_HOME",
    suggestion: "Correct it, or let `nacre new` or `nacre serve` make it.",
  });
}
