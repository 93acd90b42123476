import { once } from "node:events";
import type { McpServerOptions } from "./create-mcp-server.ts";

/** Until the other end closes. */
export async function serveMcpStdio(options: McpServerOptions): Promise<void> {
  // Loaded on first use.
  const [{ serveStdio, StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("./create-mcp-server.ts"),
  ]);
  const { stdin } = process;
  const ended = Promise.race([once(stdin, "end"), once(stdin, "close")]);
  const server = serveStdio(
    ({ era }) => createMcpServer({ ...options, tellsUpdates: era === "legacy" }),
    {
      transport: new StdioServerTransport(),
      onerror: options.handleProblem,
    },
  );
  await ended;
  await server.close();
}
