import { z } from "zod";
import { labelText } from "./bounded-text.ts";
import { base64LengthOf, Encoding, hasMoreBytesThan, problemWithData } from "./bytes.ts";
import { ClaimEpoch } from "./claim.ts";
import type { ErrorCode } from "./error.ts";
import { TerminalId } from "./ids.ts";
import { when } from "./json-object.ts";
import { Columns, Rows } from "./size.ts";

/** One input message is held in memory until the program reads it; send larger pastes in pieces. */
export const MAX_INPUT_BYTES = 1024 * 1024;

/** More keys are text: send that as `data`. */
export const MAX_KEYS = 256;

/** Longer than any key name with all modifiers. */
const MAX_KEY_NAME_LENGTH = 64;

const KeyName = labelText({
  description: "Name of one key, such as `Enter` or `C-c`.",
  maxLength: MAX_KEY_NAME_LENGTH,
});

const sendInputFields = {
  data: z
    .string()
    .optional()
    .meta({
      description:
        "What to type: text, or base64 of any bytes; at most 1 MiB once decoded; not with `keys`.",
      maxLength: base64LengthOf(MAX_INPUT_BYTES),
    }),
  encoding: Encoding.optional(),
  literal: z.boolean().optional().meta({
    description:
      "False means that `data` is exactly one key name, such as `Enter` or `C-c`; otherwise it is typed as it is.",
  }),
  keys: z.array(KeyName).min(1).max(MAX_KEYS).optional().meta({
    description: "Names of keys to press one after the other; not with `data`.",
  }),
  sensitive: z.boolean().optional().meta({
    description:
      "Whether nobody may see it: no byte of it is recorded, and it is refused with `conflict` where the terminal would show it, as at a shell's prompt.",
  }),
  expects: z.enum(["secret", "line", "key"]).optional().meta({
    description:
      "What the program has to read now: refused with `conflict` where a shell would run it, nobody reads, or, of a `secret`, no program asks for one. Makes it `sensitive` for a `secret`.",
  }),
  cols: Columns.optional().meta({
    description: "New number of columns; only together with `rows`.",
  }),
  rows: Rows.optional().meta({
    description: "New number of rows; only together with `cols`.",
  }),
  epoch: ClaimEpoch.optional().meta({
    description:
      "The epoch of the claim the caller believes to hold; refused with `conflict` when older than the claim's.",
  }),
};

interface SendInputFields {
  readonly data?: string | undefined;
  readonly encoding?: Encoding | undefined;
  readonly literal?: boolean | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
}

function dataProblem(input: SendInputFields): [ErrorCode, string] | undefined {
  const { data, encoding, literal } = input;
  if (data === undefined) return undefined;
  if (hasMoreBytesThan({ data, encoding }, MAX_INPUT_BYTES)) {
    return ["payload_too_large", `has too many bytes, at most ${MAX_INPUT_BYTES} fit`];
  }
  if (literal === false && encoding !== undefined) {
    return ["invalid_argument", "`literal: false` names a key in text, `data` must not be base64"];
  }
  if (literal === false && !KeyName.safeParse(data).success) {
    return ["invalid_argument", "`literal: false` needs exactly one key name as `data`"];
  }
  const problem = problemWithData({ data, encoding });
  return problem === undefined ? undefined : ["invalid_argument", problem];
}

function checkSendInput(input: SendInputFields, context: z.RefinementCtx): void {
  const refuse = (field: string, message: string, errorCode: ErrorCode = "invalid_argument") =>
    context.addIssue({ code: "custom", path: [field], message, params: { errorCode } });
  const { data, encoding, literal, keys, cols, rows } = input;
  if (cols !== undefined && rows === undefined) refuse("rows", "`cols` needs `rows`");
  if (rows !== undefined && cols === undefined) refuse("cols", "`rows` needs `cols`");
  if (data === undefined && keys === undefined && cols === undefined && rows === undefined) {
    refuse("data", "needs `data` or `keys`, or both `cols` and `rows`");
  }
  if (keys !== undefined && data !== undefined) refuse("keys", "`keys` excludes `data`");
  if (keys !== undefined && literal !== undefined) refuse("keys", "`keys` excludes `literal`");
  if (encoding !== undefined && data === undefined) refuse("data", "`encoding` needs `data`");
  const problem = dataProblem(input);
  if (problem !== undefined) refuse("data", problem[1], problem[0]);
}

/** `checkSendInput` as JSON Schema, as far as it concerns which fields are present. */
const SEND_INPUT_RULES = {
  anyOf: [{ required: ["data"] }, { required: ["keys"] }, { required: ["cols", "rows"] }],
  allOf: [{ not: { required: ["keys", "data"] } }, { not: { required: ["keys", "literal"] } }],
  dependentRequired: { cols: ["rows"], rows: ["cols"], encoding: ["data"] },
  ...when(
    { required: ["literal"], properties: { literal: { const: false } } },
    {
      not: { required: ["encoding"] },
      properties: { data: { minLength: 1, maxLength: MAX_KEY_NAME_LENGTH } },
    },
  ),
};

/** Input or a new size, without the terminal's id: `data` or `keys`, or `cols` with `rows`, or all of them. */
export const TerminalSendInputDataSchema = z
  .strictObject(sendInputFields)
  .superRefine(checkSendInput)
  .meta({ description: "Input or a new size for a terminal.", ...SEND_INPUT_RULES });
export type TerminalSendInputData = z.infer<typeof TerminalSendInputDataSchema>;

export const TerminalSendInputSchema = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to drive." }),
    ...sendInputFields,
  })
  .superRefine(checkSendInput)
  .meta({ description: "Input or a new size for the terminal named.", ...SEND_INPUT_RULES });
export type TerminalSendInput = z.infer<typeof TerminalSendInputSchema>;
