import type { Command } from "../command.ts";
import { parseOptions } from "../parse-options.ts";
import { VERSION } from "../version.ts";

/** Runs the daemon until it is told to end; the first line is the address to open. */
export const serveCommand: Command = {
  name: "serve",
  summary: "Run the daemon, and say at which address it is",
  usage:
    "[--port N] [--host H] [--public-origin U]… [--behind-proxy] [--tls-cert F --tls-key F] [--allow-root] [--log L] [--agent-directory A]… [--agent-directory-root D]",
  examples: ["nacre serve", "nacre serve --port 0"],

  async run(args) {
    const flags = parseOptions("serve", args, {
      port: { type: "string" },
      host: { type: "string" },
      "public-origin": { type: "string", multiple: true },
      "behind-proxy": { type: "boolean" },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
      "allow-root": { type: "boolean" },
      log: { type: "string" },
      "agent-directory": { type: "string", multiple: true },
      "agent-directory-root": { type: "string" },
    });
    const { loadConfig, ownDirectories, runDaemon } = await import("@nacre/host");
    const directories = ownDirectories();
    const { config } = loadConfig({ env: process.env, directories, flags });
    if (process.getuid?.() === 0 && !config.allowRoot) {
      console.error("nacre: runs as root, and so do its terminals; --allow-root if that is meant");
    }
    const daemon = await runDaemon({ config, directories, version: VERSION });
    const { urlWithToken, socketPath } = daemon;
    return {
      result: { pid: process.pid, url: urlWithToken, socket: socketPath, home: directories.home },
      text: urlWithToken,
      exitCode: 0,
      until: daemon.stopped,
    };
  },
};
