import type { Command } from "../command.ts";
import { parseOptions } from "../parse-options.ts";
import { safeText } from "../print.ts";

const COLUMN = 26;

/** Shows every setting of the daemon and where it comes from. */
export const configCommand: Command = {
  name: "config",
  summary: "Show every setting and where it comes from",
  examples: ["nacre config", "nacre config --json"],

  async run(args) {
    parseOptions("config", args);
    const { loadConfig, ownDirectories, showConfig } = await import("@nacre/host");
    const directories = ownDirectories();
    const loaded = loadConfig({ env: process.env, directories });
    const settings = showConfig(loaded);
    const lines = settings.map(({ name, value, origin }) => {
      const shown =
        value === null ? "-" : typeof value === "string" ? value : JSON.stringify(value);
      return `${name.padEnd(COLUMN)} ${safeText(shown).padEnd(COLUMN)} ${safeText(origin)}`;
    });
    return {
      result: { file: loaded.file, home: directories.home, settings },
      text: [`# ${safeText(loaded.file)}`, ...lines].join("\n"),
      exitCode: 0,
    };
  },
};
