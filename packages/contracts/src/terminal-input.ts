import { z } from "zod";
import { labelText, pastedPath } from "./bounded-text.ts";
import { jsonObject } from "./json-object.ts";
import { argumentText, environmentField, launchFields, MAX_NAME_LENGTH } from "./launch-fields.ts";
import { Size } from "./size.ts";

/** Keeps a terminal's row small, whatever the owner attaches. */
const MAX_ATTRIBUTES_LENGTH = 16_384;

/** The entity that asked for a terminal. Any table name is accepted. */
export const TerminalOwnerReferenceSchema = z
  .strictObject({
    entityName: labelText({
      description: "Kind of the owner, such as `Task` or `Repository`; any name.",
      maxLength: MAX_NAME_LENGTH,
    }),
    entityId: labelText({
      description: "Identity of the owner among its kind.",
      maxLength: MAX_NAME_LENGTH,
    }),
    attributes: jsonObject(MAX_ATTRIBUTES_LENGTH).optional().meta({
      description: "Whatever else the owner wants to keep with the terminal, as plain JSON.",
    }),
  })
  .meta({ description: "The entity that asked for a terminal." });
export type TerminalOwnerReference = z.infer<typeof TerminalOwnerReferenceSchema>;

export const TerminalLaunchOptionsSchema = z
  .strictObject(launchFields)
  .meta({ description: "How to launch the program of a terminal." });
export type TerminalLaunchOptions = z.infer<typeof TerminalLaunchOptionsSchema>;

export const InheritEnv = z.enum(["none", "safe", "all"]).meta({
  description:
    "How much of the host's own environment the program gets: `none`, what is `safe`, or `all`.",
});
export type InheritEnv = z.infer<typeof InheritEnv>;

/** The host makes the id; it cannot be chosen. */
export const TerminalInputSchema = z
  .strictObject({
    owner: TerminalOwnerReferenceSchema.meta({
      description: "The entity that asked for the terminal; not who drives it.",
    }),
    workingDirectory: pastedPath(
      "Directory the program starts in, an absolute path; white space around it does not count.",
    ),
    ...launchFields,
    shell: argumentText(
      "Shell to run instead of the default one, by name or path; only without `command`.",
      1,
    ).optional(),
    size: Size.optional().meta({ description: "Size to start with; 80×24 when absent." }),
    env: environmentField,
    inheritEnv: InheritEnv.optional(),
    cwdFallback: z.literal("home").optional().meta({
      description:
        "Asks to start in the home directory when the working directory cannot be used; without this the request is refused then.",
    }),
  })
  .meta({ description: "What to create a terminal from." });
export type TerminalInput = z.infer<typeof TerminalInputSchema>;
