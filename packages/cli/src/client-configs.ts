/** How a program that speaks MCP is told of Nacre. */
export interface ClientConfig {
  /** Where that program looks for it. */
  readonly file: string;
  /** What belongs there. */
  readonly text: string;
}

const COMMAND = { type: "stdio", command: "nacre", args: ["mcp"] };

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** The longest wait of a tool, and a little: the client gives up sooner otherwise. */
const CODEX_TIMEOUT_S = 660;

/** The configuration of each program that is known here. */
export const CLIENT_CONFIGS: Readonly<Record<string, ClientConfig>> = {
  claude: {
    file: ".mcp.json",
    text: json({ mcpServers: { nacre: COMMAND } }),
  },
  codex: {
    file: "~/.codex/config.toml",
    text: [
      "[mcp_servers.nacre]",
      `command = ${JSON.stringify(COMMAND.command)}`,
      `args = ${JSON.stringify(COMMAND.args)}`,
      `tool_timeout_sec = ${CODEX_TIMEOUT_S}`,
    ].join("\n"),
  },
  vscode: {
    file: ".vscode/mcp.json",
    text: json({ servers: { nacre: COMMAND } }),
  },
  cursor: { file: ".cursor/mcp.json", text: json({ mcpServers: { nacre: COMMAND } }) },
};
