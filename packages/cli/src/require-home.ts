import { existsSync } from "node:fs";
import { NacreError } from "@nacre/contracts/error";

/** Refuses a `NACRE_HOME` that is not there: whoever asks what is in it, or has it misspelled, is not to make it. */
export function requireHome(): void {
  const home = process.env["NACRE_HOME"];
  if (!home || existsSync(home)) return;
  throw new NacreError("unavailable", `NACRE_HOME: there is no ${home}`, {
    field: "NACRE_HOME",
    suggestion: "Correct it, or let `nacre new` or `nacre serve` make it.",
  });
}
