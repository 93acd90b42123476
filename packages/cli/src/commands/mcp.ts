import { NacreError } from "@nacre/contracts";
import { CLIENT_CONFIGS } from "../client-configs.ts";
import type { Command } from "../command.ts";
import { LocalCaller } from "../local-caller.ts";
import { parseOptions } from "../parse-options.ts";
import { safeText } from "../print.ts";
import { VERSION } from "../version.ts";

/** Serves the tools of agents over standard input and output, until these are closed. */
export const mcpCommand: Command = {
  name: "mcp",
  summary: "Serve terminals to agents over MCP, on standard input and output",
  usage: `[--print-config ${Object.keys(CLIENT_CONFIGS).join("|")}]`,
  examples: ["nacre mcp", "nacre mcp --print-config claude"],

  async run(args) {
    const options = parseOptions("mcp", args, { "print-config": { type: "string" } });
    const wanted = options["print-config"];
    if (typeof wanted === "string") return printConfig(wanted);
    const { serveMcpStdio } = await import("@nacre/host");
    const caller = new LocalCaller();
    caller.connect();
    const until = serveMcpStdio({ caller, version: VERSION, handleProblem: report }).finally(() =>
      caller[Symbol.dispose](),
    );
    return { result: {}, text: "", exitCode: 0, isSilent: true, until };
  },
};

function printConfig(name: string) {
  const config = Object.hasOwn(CLIENT_CONFIGS, name) ? CLIENT_CONFIGS[name] : undefined;
  if (!config) {
    const known = Object.keys(CLIENT_CONFIGS).join(", ");
    throw new NacreError("invalid_argument", `mcp: no configuration for ${name}; one of ${known}`, {
      field: "print-config",
    });
  }
  const { file, text } = config;
  return { result: { client: name, file, config: text }, text, exitCode: 0 };
}

/** Standard output speaks the protocol; what goes wrong is said beside it. */
function report(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`nacre: ${safeText(message)}`);
}
