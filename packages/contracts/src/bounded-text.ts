import { z } from "zod";

/** What a text is for and how long it may be. */
interface BoundedTextOptions {
  readonly description: string;
  readonly maxLength: number;
  readonly minLength?: number;
}

/** A lone surrogate has no UTF-8 form, so such a text could not be handed to a program or a file unchanged. */
const isWellFormed = (text: string): boolean => text.isWellFormed();

const bounded = ({ maxLength, minLength = 1 }: BoundedTextOptions) =>
  z.string().min(minLength).max(maxLength);

/** Text for the operating system: any characters except NUL, which would end it early. */
export const systemText = (options: BoundedTextOptions) =>
  bounded(options)
    // oxlint-disable-next-line no-control-regex -- refusing this control character is the purpose
    .regex(/^[^\u0000]*$/, "must not contain NUL")
    .refine(isWellFormed, "must be well-formed Unicode")
    .meta({ description: options.description });

/** Text of one line that people read; without control characters, so that listing it cannot drive their terminal. */
export const labelText = (options: BoundedTextOptions) =>
  bounded(options)
    // oxlint-disable-next-line no-control-regex -- refusing these control characters is the purpose
    .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, "must not contain control characters")
    .refine(isWellFormed, "must be well-formed Unicode")
    .meta({ description: options.description });

/** Linux refuses longer paths. */
const MAX_PATH_LENGTH = 4096;

/** An absolute path of the machine the host runs on; POSIX, Windows drive or Windows share. */
export const absolutePath = (description: string) =>
  systemText({ description, maxLength: MAX_PATH_LENGTH }).regex(
    /^(?:\/|[A-Za-z]:[\\/]|\\\\)/,
    "must be an absolute path",
  );
