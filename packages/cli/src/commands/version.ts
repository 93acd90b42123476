import type { Command } from "../command.ts";
import { parseOptions } from "../parse-options.ts";
import { VERSION } from "../version.ts";

/** Says which Nacre and which Node this is. */
export const versionCommand: Command = {
  name: "version",
  summary: "Say which version this is",
  examples: ["nacre version", "nacre version --json"],

  async run(args) {
    parseOptions("version", args);
    const result = { nacre: VERSION, node: process.version };
    return { result, text: `nacre ${result.nacre} on Node ${result.node}`, exitCode: 0 };
  },
};
