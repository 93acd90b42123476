import { safeText } from "@nacre/client/ui";
import { CLIENT_CONFIGS } from "../client-configs.ts";
import type { Command } from "../command.ts";
import { LocalCaller } from "../local-caller.ts";
import { VERSION } from "../version.ts";

/** Until stdin and stdout are closed. */
export const mcpCommand: Command = {
  name: "mcp",
  section: "daemon",
  summary: "Serve terminals to agents over MCP, on standard input and output",
  description:
    "For programs such as Claude Code, Codex, VS Code and Cursor, which start it by themselves once they are told of it.",
  options: [
    {
      name: "print-config",
      value: "CLIENT",
      choices: Object.keys(CLIENT_CONFIGS),
      description: "Print what tells this program of Nacre",
    },
  ],
  examples: [
    { line: "nacre mcp", about: "serve until standard input ends", kind: "lasts" },
    { line: "nacre mcp --print-config claude", about: "what belongs into .mcp.json" },
  ],

  async run({ options }) {
    const wanted = options.text("print-config");
    if (wanted !== undefined) return printConfig(wanted);
    const { serveMcpStdio } = await import("@nacre/host");
    const caller = new LocalCaller();
    caller.connect();
    const until = serveMcpStdio({ caller, version: VERSION, handleProblem: report }).finally(() =>
      caller[Symbol.dispose](),
    );
    return { result: {}, text: "", isPrinted: true, until };
  },
};

function printConfig(name: string) {
  const { file = "", text = "" } = CLIENT_CONFIGS[name] ?? {};
  return { result: { client: name, file, config: text }, text };
}

/** Standard output carries the protocol; problems go to stderr. */
function report(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`nacre: ${safeText(message)}`);
}
