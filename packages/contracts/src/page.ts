import { when } from "./json-rule.ts";
import { refuse, type Report } from "./refuse.ts";

/** The part of every page that tells whether and where the next one begins. */
interface PageFields {
  readonly truncated: boolean;
  readonly nextAfter?: unknown;
}

/** A page says where the next one begins exactly when there is one. */
export function checkPage({ truncated, nextAfter }: PageFields, report: Report): void {
  if (truncated && nextAfter === undefined) {
    refuse(report, "nextAfter", "a truncated page needs `nextAfter`");
  }
  if (!truncated && nextAfter !== undefined) {
    refuse(report, "nextAfter", "the last page has no `nextAfter`");
  }
}

/** What `checkPage` demands, in the words of JSON Schema. */
export const PAGE_RULES = when(
  { properties: { truncated: { const: true } } },
  { required: ["nextAfter"] },
  { not: { required: ["nextAfter"] } },
);
