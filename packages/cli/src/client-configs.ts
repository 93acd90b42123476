export interface ClientConfig {
  /** Where that program looks for it. */
  readonly file: string;
  readonly text: string;
}

const COMMAND = { type: "stdio", command: "nacre", args: ["mcp"] };

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** The longest wait of a tool plus a margin: otherwise the client gives up first. */
const CODEX_TIMEOUT_S = 660;

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
