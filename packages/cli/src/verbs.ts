import type { Command } from "./command.ts";

/** Its module is loaded only when it runs or is described. */
export interface Verb {
  readonly name: string;
  /** Aliases. */
  readonly aliases?: readonly string[];
  load(): Promise<Command>;
}

/** In the order of the help. */
export const VERBS: readonly Verb[] = [
  {
    name: "new",
    aliases: ["create", "spawn"],
    load: async () => (await import("./commands/new.ts")).newCommand,
  },
  {
    name: "ls",
    aliases: ["list", "ps"],
    load: async () => (await import("./commands/ls.ts")).lsCommand,
  },
  {
    name: "attach",
    aliases: ["a"],
    load: async () => (await import("./commands/attach.ts")).attachCommand,
  },
  {
    name: "exec",
    load: async () => (await import("./commands/exec.ts")).execCommand,
  },
  {
    name: "run",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  {
    name: "kill",
    load: async () => (await import("./commands/kill.ts")).killCommand,
  },
  {
    name: "rm",
    aliases: ["remove", "delete"],
    load: async () => (await import("./commands/rm.ts")).rmCommand,
  },
  {
    name: "send",
    aliases: ["type"],
    load: async () => (await import("./commands/send.ts")).sendCommand,
  },
  {
    name: "keys",
    aliases: ["press"],
    load: async () => (await import("./commands/keys.ts")).keysCommand,
  },
  {
    name: "paste",
    load: async () => (await import("./commands/paste.ts")).pasteCommand,
  },
  {
    name: "wait",
    load: async () => (await import("./commands/wait.ts")).waitCommand,
  },
  {
    name: "screen",
    aliases: ["snapshot"],
    load: async () => (await import("./commands/screen.ts")).screenCommand,
  },
  {
    name: "resize",
    load: async () => (await import("./commands/resize.ts")).resizeCommand,
  },
  {
    name: "signal",
    load: async () => (await import("./commands/signal.ts")).signalCommand,
  },
  {
    name: "logs",
    load: async () => (await import("./commands/logs.ts")).logsCommand,
  },
  {
    name: "history",
    load: async () => (await import("./commands/history.ts")).historyCommand,
  },
  {
    name: "show",
    load: async () => (await import("./commands/show.ts")).showCommand,
  },
  {
    name: "search",
    aliases: ["grep", "find"],
    load: async () => (await import("./commands/search.ts")).searchCommand,
  },
  {
    name: "play",
    aliases: ["replay"],
    load: async () => (await import("./commands/play.ts")).playCommand,
  },
  {
    name: "export",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  {
    name: "import",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  {
    name: "verify",
    load: async () => (await import("./commands/verify.ts")).verifyCommand,
  },
  {
    name: "prune",
    aliases: ["gc"],
    load: async () => (await import("./commands/prune.ts")).pruneCommand,
  },
  {
    name: "ask",
    load: async () => (await import("./commands/ask.ts")).askCommand,
  },
  {
    name: "inbox",
    load: async () => (await import("./commands/inbox.ts")).inboxCommand,
  },
  {
    name: "answer",
    load: async () => (await import("./commands/answer.ts")).answerCommand,
  },
  {
    name: "claim",
    aliases: ["take"],
    load: async () => (await import("./commands/claim.ts")).claimCommand,
  },
  {
    name: "release",
    aliases: ["give-back"],
    load: async () => (await import("./commands/release.ts")).releaseCommand,
  },
  {
    name: "handover",
    aliases: ["hand-over"],
    load: async () => (await import("./commands/handover.ts")).handoverCommand,
  },
  {
    name: "who",
    load: async () => (await import("./commands/who.ts")).whoCommand,
  },
  {
    name: "serve",
    aliases: ["daemon"],
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  {
    name: "status",
    load: async () => (await import("./commands/status.ts")).statusCommand,
  },
  {
    name: "stop",
    load: async () => (await import("./commands/stop.ts")).stopCommand,
  },
  {
    name: "restart",
    load: async () => (await import("./commands/restart.ts")).restartCommand,
  },
  {
    name: "web",
    load: async () => (await import("./commands/web.ts")).webCommand,
  },
  {
    name: "mcp",
    load: async () => (await import("./commands/mcp.ts")).mcpCommand,
  },
  {
    name: "events",
    load: async () => (await import("./commands/events.ts")).eventsCommand,
  },
  {
    name: "config",
    load: async () => (await import("./commands/config.ts")).configCommand,
  },
  {
    name: "tokens",
    aliases: ["token"],
    load: async () => (await import("./commands/tokens.ts")).tokensCommand,
  },
  {
    name: "doctor",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  {
    name: "completion",
    load: async () => (await import("./commands/completion.ts")).completionCommand,
  },
  {
    name: "version",
    load: async () => (await import("./commands/version.ts")).versionCommand,
  },
];
