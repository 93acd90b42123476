import { z } from "zod";
import { systemText } from "./bounded-text.ts";
import { CallerId, TerminalId } from "./ids.ts";
import { timeoutMs } from "./output.ts";
import { ClaimNote, InputRequest } from "./terminal-state.ts";

/** How long a request for input stands when nobody says: a person has to notice, come, and type. */
export const DEFAULT_INPUT_REQUEST_MS = 120_000;

/** A longer answer is a file, which is pasted. */
const MAX_ANSWER_LENGTH = 65_536;

/** A question to the people of a Terminal. */
export const RequestInputInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to type into." }),
    prompt: InputRequest.shape.prompt,
    secret: z.boolean().optional().meta({
      description:
        "Whether nobody may see the answer; when absent, whether the program asks for a secret now.",
    }),
    timeoutMs: timeoutMs(DEFAULT_INPUT_REQUEST_MS),
    wait: z.boolean().optional().meta({
      description:
        "Whether to answer only when the request was answered or lapsed; it is withdrawn when the client leaves before.",
    }),
  })
  .refine((input) => input.timeoutMs !== 0, {
    path: ["timeoutMs"],
    message: "must be more than 0",
  })
  .meta({ description: "A question to the people of a terminal." });
export type RequestInputInput = z.infer<typeof RequestInputInput>;

/** What became of a request for input so far; what was typed is never in it. */
export const RequestInputResult = z
  .strictObject({
    outcome: z.enum(["pending", "answered", "declined", "expired", "withdrawn", "closed"]).meta({
      description:
        "`pending` until somebody answers; `answered` by `answerInput` or by typing into the terminal, `declined`, `expired` unanswered, `withdrawn` by who asked, or `closed` with the terminal.",
    }),
    request: InputRequest.meta({ description: "The request." }),
    by: CallerId.optional().meta({ description: "Who answered, where somebody did." }),
    note: ClaimNote.optional(),
  })
  .meta({ description: "What became of a request for input." });
export type RequestInputResult = z.infer<typeof RequestInputResult>;

/** The answer to a request for input. */
export const AnswerInputInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that is asked about." }),
    requestId: InputRequest.shape.requestId,
    text: systemText({
      description: "What to type; absent to decline. May be empty, which presses only Enter.",
      maxLength: MAX_ANSWER_LENGTH,
      minLength: 0,
    }).optional(),
    submit: z.boolean().optional().meta({
      description: "Whether Enter is pressed behind the text; true when absent.",
    }),
    note: ClaimNote.optional().meta({ description: "A few words for who asked." }),
  })
  .meta({ description: "The answer to a request for input." });
export type AnswerInputInput = z.infer<typeof AnswerInputInput>;

/** That a request for input is answered. */
export const AnswerInputResult = z
  .strictObject({
    outcome: z
      .enum(["answered", "declined"])
      .meta({ description: "`answered` once the program has the text, or `declined`." }),
    request: InputRequest.meta({ description: "The request, which is open no more." }),
  })
  .meta({ description: "That a request for input is answered." });
export type AnswerInputResult = z.infer<typeof AnswerInputResult>;
