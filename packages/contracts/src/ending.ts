import { when } from "./json-rule.ts";
import { refuse, type Report } from "./refuse.ts";

/** How something ended, as far as known. */
interface Ending {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | undefined;
}

/** What ends by a signal has no exit code, and the other way round. */
export function checkEnding({ exitCode, signal }: Ending, report: Report): void {
  if (signal !== undefined && typeof exitCode === "number") {
    refuse(report, "exitCode", "what ended by a signal has no exit code");
  }
}

/** What `checkEnding` demands where the exit code is always there, in the words of JSON Schema. */
export const NULLABLE_ENDING_RULES = when(
  { required: ["signal"] },
  { properties: { exitCode: { type: "null" } } },
);

/** What `checkEnding` demands where the exit code may be absent, in the words of JSON Schema. */
export const OPTIONAL_ENDING_RULES = { not: { required: ["exitCode", "signal"] } };
