import { z } from "zod";
import { labelText } from "./bounded-text.ts";
import { claimName } from "./claim.ts";
import { forceField } from "./force-field.ts";
import { TerminalId } from "./ids.ts";
import { MAX_NAME_LENGTH } from "./launch-fields.ts";

const goneOwner = z
  .strictObject({
    entityName: labelText({ description: "Kind of the owner.", maxLength: MAX_NAME_LENGTH }),
    entityId: labelText({
      description: "Identity of the owner among its kind.",
      maxLength: MAX_NAME_LENGTH,
    }),
  })
  .meta({ description: "The owner that is gone." });

/** Whose Terminals to end: those of an Owner that is gone, or those that an agent's session still drives. */
export const DisposeTerminalsInput = z
  .strictObject({
    owner: goneOwner.optional(),
    session: claimName(
      "The agent's session that is gone; those it still drives are meant.",
    ).optional(),
    force: forceField,
  })
  .refine(({ owner, session }) => (owner === undefined) !== (session === undefined), {
    path: ["owner"],
    message: "needs either `owner` or `session`",
  })
  .meta({
    description: "Whose terminals to end, because they are gone.",
    oneOf: [{ required: ["owner"] }, { required: ["session"] }],
  });
export type DisposeTerminalsInput = z.infer<typeof DisposeTerminalsInput>;

/** What became of the Terminals of somebody who is gone. */
export const DisposeTerminalsResult = z
  .strictObject({
    disposed: z.array(TerminalId).meta({
      description: "The terminals that were ended and taken off the list; their recordings stay.",
    }),
    kept: z.array(TerminalId).meta({
      description:
        "The terminals that stay: created with `whenOwnerEnds` `keep`, or held by somebody the caller may not take them from.",
    }),
  })
  .meta({ description: "What became of the terminals of somebody who is gone." });
export type DisposeTerminalsResult = z.infer<typeof DisposeTerminalsResult>;
