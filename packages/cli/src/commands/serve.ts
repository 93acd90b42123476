import { safeText } from "@nacre/client/ui";
import type { Command, Option } from "../command.ts";
import type { OptionValues } from "../option-values.ts";
import { AS_BEFORE, earlierSources } from "../earlier-options.ts";
import { VERSION } from "../version.ts";

/** A verb that starts a daemon while another starts waits for that one, also on a very busy machine; less than it waits for its own. */
const OTHERS_START_MS = 45_000;

/** Runs the daemon until it is told to end; the first line is the address to open. */
export const serveCommand: Command = {
  name: "serve",
  section: "daemon",
  summary: "Run the daemon, and say at which address it is",
  description:
    "The other verbs start it by themselves when it does not run; this runs it in the foreground until Ctrl-C. What it is given here, they give the daemon that they start later. Every option can be set in the config file or by a variable too: `nacre config` shows them.",
  options: [
    { name: "port", value: "N", description: "Port to listen on; 0 for any" },
    { name: "host", value: "ADDRESS", description: "Address to listen on; loopback when absent" },
    {
      name: "public-origin",
      value: "URL",
      isMany: true,
      description: "Origin that pages of this daemon may have beside its own",
    },
    { name: "behind-proxy", description: "Whether a proxy that ends TLS stands before it" },
    { name: "tls-cert", value: "FILE", description: "Certificate to listen with" },
    { name: "tls-key", value: "FILE", description: "Key of the certificate" },
    { name: "allow-root", description: "Say nothing about running as root" },
    { name: "log", value: "LEVEL", description: "How much is logged" },
    {
      name: "agent-directory",
      value: "AGENT",
      isMany: true,
      description: "Serve control files to this agent",
    },
    { name: "agent-directory-root", value: "DIR", description: "Where directories of agents are" },
    {
      name: AS_BEFORE,
      description: "Begin with what the last `nacre serve` was given, as verbs do",
    },
  ],
  examples: [
    { line: "nacre serve", about: "run it at the usual port", kind: "lasts" },
    { line: "nacre serve --port 0", about: "run it at any free port", kind: "lasts" },
  ],

  async run({ options, verb }) {
    const flags = flagsOf(verb.options ?? [], options);
    const host = await import("@nacre/host");
    const { loadConfig, ownDirectories, runDaemon, settingVariablesOf, writeServeOptions } = host;
    const directories = ownDirectories();
    const isAsBefore = options.has(AS_BEFORE);
    const given = { flags, variables: settingVariablesOf(process.env), cwd: process.cwd() };
    const sources = { env: process.env, flags, directories };
    const { config, origins } = loadConfig(isAsBefore ? await earlierSources(sources) : sources);
    if (process.getuid?.() === 0 && !config.allowRoot) {
      console.error("nacre: runs as root, and so do its terminals; --allow-root if that is meant");
    }
    const daemon = await runDaemon({
      config,
      directories,
      version: VERSION,
      // With port 0 any port will do: reuse the previous daemon's, so that its clients come back.
      isPortChosen: origins.port !== "default" && !(isAsBefore && config.port === 0),
      ...(isAsBefore ? { lockPatienceMs: OTHERS_START_MS } : {}),
    });
    if (!isAsBefore) keep(() => writeServeOptions(directories, given));
    const { urlWithToken, socketPath } = daemon;
    return {
      result: { pid: process.pid, url: urlWithToken, socket: socketPath, home: directories.home },
      text: urlWithToken,
      until: daemon.stopped,
    };
  },
};

/** The daemon also runs where its options cannot be saved, such as on a full disk. */
function keep(write: () => void): void {
  try {
    write();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`nacre: the options are not kept for the next daemon: ${safeText(reason)}`);
  }
}

/** For the configuration. */
export function flagsOf(declared: readonly Option[], options: OptionValues) {
  const flags: Record<string, string | boolean | string[]> = {};
  for (const { name, value, isMany } of declared) {
    const text = name === AS_BEFORE ? undefined : options.text(name);
    if (text === undefined) continue;
    flags[name] = isMany ? [...options.many(name)] : value === undefined ? true : text;
  }
  return flags;
}
