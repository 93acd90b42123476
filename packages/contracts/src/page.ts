import { z } from "zod";
import { labelText } from "./bounded-text.ts";
import { refuse, type Report, when } from "./json-object.ts";
import { MAX_NAME_LENGTH } from "./launch-fields.ts";

export const OwnerFilter = z
  .strictObject({
    entityName: labelText({ description: "Kind of the owner.", maxLength: MAX_NAME_LENGTH }),
    entityId: labelText({
      description: "Identity of the owner; all owners of the kind when absent.",
      maxLength: MAX_NAME_LENGTH,
    }).optional(),
  })
  .meta({ description: "Whose terminals are meant." });
export type OwnerFilter = z.infer<typeof OwnerFilter>;

interface PageFields {
  readonly truncated: boolean;
  readonly nextAfter?: unknown;
}

/** A page has `nextAfter` exactly when it is truncated. */
export function checkPage({ truncated, nextAfter }: PageFields, report: Report): void {
  if (truncated && nextAfter === undefined) {
    refuse(report, "nextAfter", "a truncated page needs `nextAfter`");
  }
  if (!truncated && nextAfter !== undefined) {
    refuse(report, "nextAfter", "the last page has no `nextAfter`");
  }
}

/** `checkPage` as JSON Schema. */
export const PAGE_RULES = when(
  { properties: { truncated: { const: true } } },
  { required: ["nextAfter"] },
  { not: { required: ["nextAfter"] } },
);
