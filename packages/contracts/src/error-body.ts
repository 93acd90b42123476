import { z } from "zod";
import { type ErrorCode, ERRORS, type NacreError } from "./error.ts";

/** Keeps the name of each code, which the keys of an object lose. */
const CODES = Object.fromEntries(Object.keys(ERRORS).map((code) => [code, code])) as {
  readonly [Code in ErrorCode]: Code;
};

/** How a failure is told over HTTP and to programs; the code decides, the message explains. */
export const ErrorBody = z
  .strictObject({
    error: z
      .strictObject({
        code: z.enum(CODES).meta({ description: "The failure by name, for programs." }),
        message: z.string().meta({ description: "What happened, for people." }),
        field: z.string().optional().meta({
          description: "Path of the offending value in the request, such as `size.cols`.",
        }),
        suggestion: z.string().meta({ description: "What the caller can do next." }),
      })
      .meta({ description: "The failure." }),
  })
  .meta({ description: "How a failure is told." });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** Writes an error down for a wire, without its cause. */
export function errorBodyOf({ code, message, field, suggestion }: NacreError): ErrorBody {
  return { error: { code, message, ...(field === undefined ? {} : { field }), suggestion } };
}
