import type { Command } from "../command.ts";
import { VERSION } from "../version.ts";

export const versionCommand: Command = {
  name: "version",
  section: "other",
  summary: "Say which version this is",
  examples: [
    { line: "nacre version", about: "the versions of Nacre and Node" },
    { line: "nacre version --json", about: "the same for programs" },
  ],

  async run({ isQuiet }) {
    const result = { nacre: VERSION, node: process.version };
    const text = isQuiet ? VERSION : `nacre ${VERSION} on Node ${result.node}`;
    return { result, text };
  },
};
