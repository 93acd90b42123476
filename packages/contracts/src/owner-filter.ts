import { z } from "zod";
import { labelText } from "./bounded-text.ts";
import { MAX_NAME_LENGTH } from "./launch-fields.ts";

/** Whose Terminals are meant. */
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
