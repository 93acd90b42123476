import { z } from "zod";
import { encodeError, type NacreError } from "./nacre-error.ts";
import { jsonObject } from "./json-object.ts";

/** Details let a program decide; data belongs into the output. */
const MAX_DETAILS_LENGTH = 16_384;

/** Codes are a few words; a longer text is not a code of any version. */
const MAX_CODE_LENGTH = 64;

/** A failure on HTTP and in JSON output. Programs decide by `code`; an unknown code is still accepted. */
export const ErrorBody = z
  .strictObject({
    error: z
      .strictObject({
        code: z
          .string()
          .max(MAX_CODE_LENGTH)
          .regex(/^[a-z][a-z_]*$/, "expected lower-case words with `_` between them")
          .meta({
            description:
              "The failure by name, for programs; a host of another version may have more of them.",
          }),
        message: z.string().meta({ description: "What happened, for people." }),
        field: z.string().optional().meta({
          description: "Path of the offending value in the request, such as `size.cols`.",
        }),
        suggestion: z.string().meta({ description: "What the caller can do next." }),
        details: jsonObject(MAX_DETAILS_LENGTH).optional().meta({
          description: "What else programs may want to know, as plain JSON.",
        }),
      })
      .meta({ description: "The failure." }),
  })
  .meta({ description: "How a failure is told." });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The body of an error response; the cause stays here. */
export const errorBodyOf = (error: NacreError): ErrorBody => ({ error: encodeError(error) });
