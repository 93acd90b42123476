import { parseArgs, type ParseArgsConfig } from "node:util";
import { NacreError } from "@nacre/contracts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** The options of a command as they were given. */
export type ParsedOptions = Readonly<Record<string, string | boolean | string[] | undefined>>;

/** Reads the options of a command that takes nothing else; what it does not know is a usage error. */
export function parseOptions(
  command: string,
  args: readonly string[],
  options: Options = {},
): ParsedOptions {
  refuseToken(args);
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true });
    // Options are declared one by one, so that no value is an array of switches.
    return values as ParsedOptions;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's message goes on with advice for programmers after its first sentence.
    const [message = ""] = error.message.split(/\.(?:\s|$)/);
    throw new NacreError("invalid_argument", `${command}: ${message}`, {
      suggestion: `Run \`nacre help\` to see what ${command} takes.`,
    });
  }
}

/** Everybody on the machine can read the arguments of a program. */
export function refuseToken(args: readonly string[]): void {
  if (!args.some((arg) => /^--?token(?:=|$)/.test(arg))) return;
  throw new NacreError("invalid_argument", "a token in the arguments could be read by everybody", {
    field: "token",
    suggestion: "Leave --token out; the token is read from the file that only you can read.",
  });
}
