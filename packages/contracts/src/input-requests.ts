import { z } from "zod";
import { systemText } from "./bounded-text.ts";
import { CallerId, TerminalId } from "./ids.ts";
import { timeoutMs } from "./output.ts";
import { ClaimNote, InputRequest, InputRequestKind } from "./terminal-state.ts";

/** Default of `wait`: a person has to notice, come and answer. The request itself stays open longer. */
export const DEFAULT_INPUT_WAIT_MS = 120_000;

/** `setTimeout` reaches 24 days; after a week nobody answers any more. */
export const MAX_INPUT_REQUEST_MS = 7 * 24 * 60 * 60 * 1000;

/** A longer answer is a file: paste it. */
const MAX_ANSWER_LENGTH = 65_536;

export const RequestInputInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that the question is about." }),
    prompt: InputRequest.shape.prompt,
    kind: InputRequestKind.optional().meta({
      description:
        "What becomes of the answer; `type` is refused while the shell is at its prompt, and may be asked before the program reads. When absent: `type` where `secret` is true or the program asks for a secret now, otherwise `answer`. `request.kind` of the result says which it is.",
    }),
    choices: InputRequest.shape.choices.meta({
      description: "The only answers there are, for `answer`; any text when absent.",
    }),
    secret: z.boolean().optional().meta({
      description:
        "Whether nobody may see the answer, only for `type`; when absent, whether the program asks for a secret now.",
    }),
    expiresInMs: z.int().min(1).max(MAX_INPUT_REQUEST_MS).optional().meta({
      description:
        "Lapse unanswered after so many milliseconds; when absent the question stands until it is answered, declined or withdrawn, or the program ends.",
    }),
    wait: z.boolean().optional().meta({
      description:
        "Whether to answer only when the question was answered or lapsed, or `timeoutMs` is over; the question stands also when the client leaves.",
    }),
    timeoutMs: timeoutMs(DEFAULT_INPUT_WAIT_MS).meta({
      description: `How long to wait with \`wait\`, in milliseconds; ${DEFAULT_INPUT_WAIT_MS} when absent. Then the outcome is \`pending\`, and \`readInputRequest\` goes on waiting.`,
    }),
  })
  .superRefine(({ kind, choices, secret }, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: "custom", path: [field], message });
    if (choices !== undefined && (kind === "type" || secret === true)) {
      refuse("choices", 'choices are for `kind: "answer"`, and never for a secret');
    }
    if (secret === true && kind === "answer") {
      refuse(
        "secret",
        'a secret is never returned to the asker; use `kind: "type"` while the program reads it',
      );
    }
    const values = choices?.map(({ value }) => value) ?? [];
    if (new Set(values).size < values.length) refuse("choices", "must differ from each other");
  })
  .meta({ description: "A question to the people of a terminal." });
export type RequestInputInput = z.infer<typeof RequestInputInput>;

export const RequestInputResult = z
  .strictObject({
    outcome: z.enum(["pending", "answered", "declined", "expired", "withdrawn", "closed"]).meta({
      description:
        "`pending` until somebody answers; `answered` by `answerInput`, or by typing where it is to be typed, `declined`, `expired` unanswered, `withdrawn`, or `closed` with the terminal.",
    }),
    request: InputRequest.meta({ description: "The question." }),
    nobodyReads: z.literal(true).optional().meta({
      description:
        "Present while what is asked for is to be typed and no program reads yet: answers are refused until one does, and the question stands.",
    }),
    text: z.string().max(MAX_ANSWER_LENGTH).optional().meta({
      description:
        "The answer, or the value of the choice, where the kind is `answer`; only for who asked and for the operator.",
    }),
    by: CallerId.optional().meta({ description: "Who answered, where somebody did." }),
    note: ClaimNote.optional(),
  })
  .meta({ description: "What became of a question." });
export type RequestInputResult = z.infer<typeof RequestInputResult>;

const requestId = InputRequest.shape.requestId;

export const ReadInputRequestInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that the question is about." }),
    requestId: requestId.meta({
      description: "Identity of the request, or the beginning of it where only one begins so.",
    }),
    timeoutMs: timeoutMs(0).meta({
      description:
        "Wait so many milliseconds for an answer where there is none yet; not at all when absent.",
    }),
  })
  .meta({ description: "A question that was asked, to learn what became of it." });
export type ReadInputRequestInput = z.infer<typeof ReadInputRequestInput>;

export const WithdrawInputInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that the question is about." }),
    requestId,
  })
  .meta({ description: "A question that nobody has to answer any more." });
export type WithdrawInputInput = z.infer<typeof WithdrawInputInput>;

export const AnswerInputInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that the question is about." }),
    requestId,
    text: systemText({
      description:
        "The answer: what to type, what to tell who asks, or the value of a choice; absent to decline. May be empty, which presses only Enter where it is typed.",
      maxLength: MAX_ANSWER_LENGTH,
      minLength: 0,
    }).optional(),
    submit: z.boolean().optional().meta({
      description: "Whether Enter is pressed behind what is typed; true when absent.",
    }),
    note: ClaimNote.optional().meta({ description: "A few words for who asked." }),
  })
  .meta({ description: "The answer to a question." });
export type AnswerInputInput = z.infer<typeof AnswerInputInput>;

export const AnswerInputResult = z
  .strictObject({
    outcome: z.enum(["answered", "declined"]).meta({
      description: "`answered` once the program or who asked has the answer, or `declined`.",
    }),
    request: InputRequest.meta({ description: "The question, which is open no more." }),
  })
  .meta({ description: "That a question is answered." });
export type AnswerInputResult = z.infer<typeof AnswerInputResult>;
