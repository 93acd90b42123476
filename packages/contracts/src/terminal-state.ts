import { z } from "zod";
import { labelText } from "./bounded-text.ts";
import { Claim } from "./claim.ts";
import { CallerId, Timestamp } from "./ids.ts";
import { MarkerLabel } from "./launch-fields.ts";

export const TerminalState = z
  .enum(["creating", "active", "killing", "exited", "failed", "lost"])
  .meta({
    description:
      "Where the terminal is in its life: `creating`, `active` while its program runs, `killing` while it is being ended, `exited`, `failed` when the program could not be started, `lost` when nobody saw it end.",
  });
export type TerminalState = z.infer<typeof TerminalState>;

export const LostReason = z.enum(["keeperEnded", "machineRestarted", "hostEnded"]).meta({
  description:
    "Why nobody saw the program end: `keeperEnded` when the keeper, the process that programs run in, was gone, `machineRestarted` when the machine was started anew meanwhile, `hostEnded` when the host ended unforeseen and its programs ran in it.",
});
export type LostReason = z.infer<typeof LostReason>;

/** Who may type, among those who may change the terminal at all. */
export const InputPolicy = z.enum(["open", "holder"]).meta({
  description:
    "Who may type: with `open` everybody who may change the terminal, each named in the recording; with `holder` only who holds the claim.",
});
export type InputPolicy = z.infer<typeof InputPolicy>;

export const InputNeededKind = z.enum(["secret", "line", "key", "continuation"]).meta({
  description:
    "What is waited for: a `secret` that is not shown, a `line`, a single `key`, or the `continuation` of an unfinished command line.",
});
export type InputNeededKind = z.infer<typeof InputNeededKind>;

/** As far as the operating system tells. */
export const InputNeeded = z
  .strictObject({
    kind: InputNeededKind,
    since: Timestamp.meta({ description: "Since when it is known to wait." }),
    lineEditor: z.literal(true).optional().meta({
      description:
        "Present when the program edits the `line` itself, as shells and REPLs do at their prompts.",
    }),
  })
  .meta({ description: "That the program waits for somebody to type." });
export type InputNeeded = z.infer<typeof InputNeeded>;

/** Shown on one line of a list. */
const MAX_NOTE_LENGTH = 1024;

export const ClaimNote = labelText({
  description: "A few words for whoever reads it, such as what is left to do.",
  maxLength: MAX_NOTE_LENGTH,
});
export type ClaimNote = z.infer<typeof ClaimNote>;

/** A request to the holder for its claim. */
export const ControlRequest = z
  .strictObject({
    requestId: z.string().min(1).max(128).meta({ description: "Identity of the request." }),
    by: CallerId.meta({ description: "The caller that asks." }),
    claim: Claim.meta({ description: "The claim it gets when the answer is yes." }),
    note: ClaimNote.optional(),
    askedAt: Timestamp.meta({ description: "When it was asked." }),
    expiresAt: Timestamp.meta({ description: "When the request lapses unanswered." }),
  })
  .meta({ description: "Somebody asks the holder of a terminal for control of it." });
export type ControlRequest = z.infer<typeof ControlRequest>;

export const InputRequestKind = z.enum(["type", "answer"]).meta({
  description:
    "What becomes of the answer: with `type` it is typed into the program, which has to read it then; with `answer` it is told to who asks, and never typed.",
});
export type InputRequestKind = z.infer<typeof InputRequestKind>;

/** A choice is a button; its value is a word that a program compares. */
const MAX_CHOICE_LENGTH = 256;

/** More choices are a list; a row of so many buttons is unusable. */
export const MAX_CHOICES = 16;

export const InputChoice = z
  .strictObject({
    value: labelText({ description: "What is answered.", maxLength: MAX_CHOICE_LENGTH }),
    label: labelText({
      description: "What people read; the value when absent.",
      maxLength: MAX_CHOICE_LENGTH,
    }).optional(),
  })
  .meta({ description: "One of the answers that a question offers." });
export type InputChoice = z.infer<typeof InputChoice>;

const inputRequestFields = {
  requestId: z.string().min(1).max(128).meta({ description: "Identity of the request." }),
  by: CallerId.meta({ description: "The caller that asks." }),
  prompt: MarkerLabel.min(1).meta({ description: "What is asked for, in a few words." }),
  kind: InputRequestKind,
  choices: z
    .array(InputChoice)
    .min(1)
    .max(MAX_CHOICES)
    .optional()
    .meta({ description: "The only answers there are; any text when absent." }),
  secret: z.boolean().meta({
    description: "Whether nobody may see the answer: it is not shown and not recorded.",
  }),
  askedAt: Timestamp.meta({ description: "When it was asked." }),
  expiresAt: Timestamp.optional().meta({
    description: "When the request lapses unanswered; never by itself when absent.",
  }),
};

/** A question to the people of a terminal. */
export const InputRequest = z
  .strictObject(inputRequestFields)
  .meta({ description: "Somebody asks the people of a terminal something." });
export type InputRequest = z.infer<typeof InputRequest>;

export const LapsedInputRequest = z
  .strictObject({
    ...inputRequestFields,
    lapsedAt: Timestamp.meta({ description: "Since when it cannot be answered any more." }),
    reason: z.enum(["expired", "closed"]).meta({
      description:
        "`expired` when the time was over that who asked gave for it, `closed` when the program of the terminal ended.",
    }),
  })
  .meta({ description: "A question that nobody answered in time." });
export type LapsedInputRequest = z.infer<typeof LapsedInputRequest>;
