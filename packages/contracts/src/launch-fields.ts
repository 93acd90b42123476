// What is said about the program of a terminal when it is created, and kept in its row.
import { z } from "zod";
import { labelText, systemText } from "./bounded-text.ts";
import { byteCountOf } from "./bytes.ts";
import { countedList, safeRecord } from "./checked-first.ts";

/** Names are for people; longer ones fit in no list. */
export const MAX_NAME_LENGTH = 256;

/** Linux refuses a longer single argument or variable, counted with the byte that ends it. */
export const MAX_ARGUMENT_BYTES = 128 * 1024;

/** Half of what Linux gives arguments and environment together by default. */
export const MAX_ARGUMENTS_BYTES = 1024 * 1024;

/** Far above any command line made by hand; a list of files belongs into a file. */
const MAX_ARGUMENTS = 1024;

/** More variables than any program needs; the operating system limits their total. */
const MAX_VARIABLES = 256;

/** Counts as the kernel does, with the byte that ends each text. */
const kernelBytesOf = (text: string): number => byteCountOf({ data: text }) + 1;

/** Tells whether the kernel would take the texts; too many characters are too many bytes, so they are not counted. */
function fitTogether(texts: readonly string[]): boolean {
  const lengths = texts.reduce((sum, text) => sum + text.length + 1, 0);
  if (lengths > MAX_ARGUMENTS_BYTES) return false;
  return texts.reduce((sum, text) => sum + kernelBytesOf(text), 0) <= MAX_ARGUMENTS_BYTES;
}

const TOGETHER = `may have at most ${MAX_ARGUMENTS_BYTES} bytes together`;

/** Text for the operating system that the kernel takes as one argument. */
export const argumentText = (description: string, minLength = 0) =>
  systemText({ description, maxLength: MAX_ARGUMENT_BYTES - 1, minLength }).refine(
    (text) => kernelBytesOf(text) <= MAX_ARGUMENT_BYTES,
    `may have at most ${MAX_ARGUMENT_BYTES - 1} bytes`,
  );

/** How the program of a Terminal is launched, as its row keeps it. */
export const launchFields = {
  name: labelText({
    description: "Label for people; never identity, need not be unique.",
    maxLength: MAX_NAME_LENGTH,
  }).optional(),
  command: argumentText(
    "Program to run, a path or a name on the PATH; a shell when absent.",
    1,
  ).optional(),
  args: countedList(argumentText("One argument, handed over without a shell."), MAX_ARGUMENTS)
    .refine(fitTogether, TOGETHER)
    .optional()
    .meta({ description: "Arguments of the program, each handed over without a shell." }),
};

/** Variables for the program of a Terminal. */
export const environmentField = safeRecord({
  key: z
    .string()
    .max(MAX_NAME_LENGTH, { abort: true })
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"),
  value: argumentText("Value of one variable."),
  maxProperties: MAX_VARIABLES,
})
  .superRefine((env, context) => {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    if (!fitTogether(variables)) {
      context.addIssue({ code: "custom", message: TOGETHER });
      return;
    }
    for (const [index, name] of Object.keys(env).entries()) {
      if (kernelBytesOf(variables[index] ?? "") > MAX_ARGUMENT_BYTES) {
        const message = `may have at most ${MAX_ARGUMENT_BYTES - 1} bytes with its name`;
        context.addIssue({ code: "custom", path: [name], message });
      }
    }
  })
  .optional()
  .meta({
    description: "Variables to add to the program's environment; never stored.",
    maxProperties: MAX_VARIABLES,
  });
