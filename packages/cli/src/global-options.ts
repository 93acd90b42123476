import type { Option } from "./command.ts";

/** What every verb takes. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  { name: "json", description: "Print one JSON object instead of text" },
  { name: "quiet", short: "q", description: "Print only what programs need: ids, names, nothing" },
  {
    name: "color",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    description: "When to use colours; NO_COLOR and CLICOLOR_FORCE count too",
  },
  { name: "help", short: "h", description: "Show how the verb is used" },
];
