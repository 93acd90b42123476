// What callers say about a new terminal; owner and directory may follow from the caller.
import { z } from "zod";
import { Claim } from "./claim.ts";
import { TerminalId } from "./ids.ts";
import {
  checkCommandLine,
  checkProgram,
  COMMAND_LINE_RULES,
  PROGRAM_RULES,
} from "./launch-fields.ts";
import { ExecInput, limitsField } from "./run-command.ts";
import { TerminalInputSchema } from "./terminal-input.ts";
import { InputPolicy } from "./terminal-state.ts";

const OWNER_WORDS =
  "The entity that asks for the terminal; when absent that of the caller, who may be bound to it.";

const DIRECTORY_WORDS =
  "Directory the program starts in, an absolute path; when absent the first root of the caller, or the home directory.";

const placeFields = {
  owner: TerminalInputSchema.shape.owner.optional().meta({ description: OWNER_WORDS }),
  workingDirectory: TerminalInputSchema.shape.workingDirectory
    .optional()
    .meta({ description: DIRECTORY_WORDS }),
};

const chosenId = TerminalId.optional().meta({
  description:
    "The id that the terminal is to have, where a caller chooses it; made by the host when absent, and refused with `already_exists` when there is such a terminal or recording.",
});

export const InputRecording = z.enum(["full", "lines", "counts", "off"]).meta({
  description:
    "How much of what is typed is recorded: everything in `full`, whole `lines` only, `counts` that something was typed, or nothing with `off`.",
});
export type InputRecording = z.infer<typeof InputRecording>;

/** Like `TerminalInputSchema`, but owner and directory may follow from the caller. */
export const CreateTerminalInput = z
  .strictObject({
    ...TerminalInputSchema.shape,
    ...placeFields,
    id: chosenId,
    commandLine: ExecInput.shape.commandLine,
    claim: Claim.optional().meta({
      description:
        "Who drives the terminal first: the caller itself or an agent's session; the caller when absent.",
    }),
    inputPolicy: InputPolicy.optional(),
    shellIntegration: z.enum(["auto", "off"]).optional().meta({
      description:
        "`auto` lets a known shell report its commands (when absent); `off` starts it as it is.",
    }),
    whenOwnerEnds: z.enum(["kill", "keep"]).optional().meta({
      description: "What becomes of the terminal when its owner is gone; `kill` when absent.",
    }),
    strictRecording: z.boolean().optional().meta({
      description:
        "Whether the program waits while its recording cannot be written, so that not a byte is missing; otherwise a gap says what is missing.",
    }),
    inputRecording: InputRecording.optional(),
    limits: limitsField,
  })
  .superRefine(checkCommandLine)
  .meta({ description: "What to create a terminal from.", ...COMMAND_LINE_RULES });
export type CreateTerminalInput = z.infer<typeof CreateTerminalInput>;

/** Like `ExecInput`, but owner and directory may follow from the caller. */
export const ExecCommandInput = z
  .strictObject({
    ...ExecInput.shape,
    ...placeFields,
    id: TerminalId.optional().meta({
      description:
        "The id that the terminal is to have, where a caller chooses it; made by the host when absent. The same command with the same id is never run twice: asking again, as after a lost connection, waits for the first one and gives its result. Another command is refused with `already_exists`.",
    }),
  })
  .superRefine(checkProgram)
  .meta({ description: "One command with a recorded terminal of its own.", ...PROGRAM_RULES });
export type ExecCommandInput = z.infer<typeof ExecCommandInput>;
