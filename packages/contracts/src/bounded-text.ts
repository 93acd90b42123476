import { z } from "zod";

interface BoundedTextOptions {
  readonly description: string;
  readonly maxLength: number;
  readonly minLength?: number;
}

/** A lone surrogate has no UTF-8 form, so such a text could not be handed to a program or a file unchanged. */
const isWellFormed = (text: string): boolean => text.isWellFormed();

/** A text that is too long is refused before it is looked at any further. */
const bounded = ({ maxLength, minLength = 1 }: BoundedTextOptions) =>
  z.string().max(maxLength, { abort: true }).min(minLength);

/** Any text that has a UTF-8 form. */
export const wellFormedText = (options: BoundedTextOptions) =>
  bounded(options)
    .refine(isWellFormed, "must be well-formed Unicode")
    .meta({ description: options.description });

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

/** Programs can set a title of any length; more than this nobody can read. */
export const MAX_TITLE_LENGTH = 1024;

/** The title of a Terminal; empty when it was taken away. */
export const titleText = (description: string) =>
  labelText({ description, maxLength: MAX_TITLE_LENGTH, minLength: 0 });

/** Linux refuses longer paths. */
const MAX_PATH_LENGTH = 4096;

const PATH_WORDS = "must be an absolute path";

/** An absolute path of the machine the host runs on; POSIX, Windows drive or Windows share. */
export const absolutePath = (description: string) =>
  systemText({ description, maxLength: MAX_PATH_LENGTH }).regex(
    /^(?:\/|[A-Za-z]:[\\/]|\\\\)/,
    PATH_WORDS,
  );

/** An absolute path as people paste it: white space around it does not count. */
export const pastedPath = (description: string) =>
  systemText({ description, maxLength: MAX_PATH_LENGTH }).regex(
    /^\s*(?:\/|[A-Za-z]:[\\/]|\\\\)/,
    PATH_WORDS,
  );

/** An absolute path without white space around it. */
export const cleanPath = (description: string) =>
  absolutePath(description).regex(/^\S(?:[\s\S]*\S)?$/, "must not have white space around it");
