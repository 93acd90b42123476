import { safeText } from "@nacre/client/ui";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { findOrStartDaemon } from "../start-daemon.ts";

export const webCommand: Command = {
  name: "web",
  section: "daemon",
  summary: "Print the address of the page, or open it",
  description:
    "The address has the token of the operator behind its #, which browsers send to nobody: whoever has the address can do everything.",
  options: [{ name: "open", short: "o", description: "Open it in the browser" }],
  examples: [{ line: "nacre web", about: "the address, to open by hand" }],

  async run({ options, isQuiet }) {
    const { url, token, socketPath } = await findOrStartDaemon();
    const address = `${url.replace(/\/$/, "")}/#token=${token}`;
    if (!options.has("open")) return { result: { url: address }, text: safeText(address) };
    await openPage(address, dirname(socketPath));
    return { result: { url: address }, text: isQuiet ? "" : "Opened in the browser." };
  },
};

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: "open" };

/** Other users can read a program's arguments, so the browser gets a private file that redirects to the page. */
async function openPage(address: string, directory: string): Promise<void> {
  const file = join(directory, "open.html");
  const target = JSON.stringify(address).replaceAll("<", "\\u003c");
  const page = `<!doctype html><meta charset="utf-8"><title>Nacre</title><script>location.replace(${target})</script>\n`;
  await writeFile(file, page, { mode: 0o600 });
  const opener = process.env["BROWSER"] || (OPENERS[process.platform] ?? "xdg-open");
  const child = spawn(opener, [file], { detached: true, stdio: "ignore" });
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new NacreError("unavailable", `cannot open a browser with ${opener}`, {
      cause,
      suggestion: "Run `nacre web` and open the address by hand.",
    });
  }
  child.unref();
}
