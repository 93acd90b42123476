import { safeText } from "@nacre/client/ui";
import type { Command } from "../command.ts";
import { earlierSources } from "../earlier-options.ts";

const COLUMN = 26;

export const configCommand: Command = {
  name: "config",
  section: "daemon",
  summary: "Show every setting and where it comes from",
  description:
    "Settings come from flags of the last `nacre serve`, from its variables and those of now, such as NACRE_PORT, and from the file that is named first. Secrets are not shown.",
  examples: [
    { line: "nacre config", about: "every setting, its value, and who set it" },
    { line: "nacre config --json", about: "the same for programs" },
  ],

  async run() {
    const { loadConfig, ownDirectories, showConfig } = await import("@nacre/host");
    const directories = ownDirectories();
    const loaded = loadConfig(await earlierSources({ env: process.env, directories }));
    const settings = showConfig(loaded);
    const lines = settings.map(({ name, value, origin }) => {
      const shown =
        value === null ? "-" : typeof value === "string" ? value : JSON.stringify(value);
      return `${name.padEnd(COLUMN)} ${safeText(shown).padEnd(COLUMN)} ${safeText(origin)}`;
    });
    return {
      result: { file: loaded.file, home: directories.home, settings },
      text: [`# ${safeText(loaded.file)}`, ...lines].join("\n"),
    };
  },
};
