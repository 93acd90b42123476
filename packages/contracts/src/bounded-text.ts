import { z } from "zod";

interface BoundedTextOptions {
  readonly description: string;
  readonly maxLength: number;
  readonly minLength?: number;
}

/** A lone surrogate has no UTF-8 form: such a text could not reach a program or a file unchanged. */
const isWellFormed = (text: string): boolean => text.isWellFormed();

/** The length is checked first, so the other checks never see an overlong text. */
const bounded = ({ maxLength, minLength = 1 }: BoundedTextOptions) =>
  z.string().max(maxLength, { abort: true }).min(minLength);

/** Any text that has a UTF-8 form. */
export const wellFormedText = (options: BoundedTextOptions) =>
  bounded(options)
    .refine(isWellFormed, "must be well-formed Unicode")
    .meta({ description: options.description });

/** Text for the operating system: anything except NUL, which would end a C string early. */
export const systemText = (options: BoundedTextOptions) =>
  bounded(options)
    // oxlint-disable-next-line no-control-regex -- refusing this control character is the purpose
    .regex(/^[^\u0000]*$/, "must not contain NUL")
    .refine(isWellFormed, "must be well-formed Unicode")
    .meta({ description: options.description });

/** One line for people, without control characters: listing it cannot drive their terminal. */
export const labelText = (options: BoundedTextOptions) =>
  bounded(options)
    // oxlint-disable-next-line no-control-regex -- refusing these control characters is the purpose
    .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, "must not contain control characters")
    .refine(isWellFormed, "must be well-formed Unicode")
    .meta({ description: options.description });

/** A program may set a title of any length; a longer one is cut. */
export const MAX_TITLE_LENGTH = 1024;

/** An empty title removes the present one. */
export const titleText = (description: string) =>
  labelText({ description, maxLength: MAX_TITLE_LENGTH, minLength: 0 });

/** PATH_MAX of Linux. */
const MAX_PATH_LENGTH = 4096;

const PATH_WORDS = "must be an absolute path";

/** An absolute path on the host's machine: POSIX, a Windows drive or a Windows share. */
export const absolutePath = (description: string) =>
  systemText({ description, maxLength: MAX_PATH_LENGTH }).regex(
    /^(?:\/|[A-Za-z]:[\\/]|\\\\)/,
    PATH_WORDS,
  );

/** An absolute path as people paste it; surrounding white space is removed. */
export const pastedPath = (description: string) =>
  systemText({ description, maxLength: MAX_PATH_LENGTH }).regex(
    /^\s*(?:\/|[A-Za-z]:[\\/]|\\\\)/,
    PATH_WORDS,
  );

export const cleanPath = (description: string) =>
  absolutePath(description).regex(/^\S(?:[\s\S]*\S)?$/, "must not have white space around it");
