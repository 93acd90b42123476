import type { TerminalInput } from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";
import type { SessionOptions, TerminalSession } from "./session.ts";

type Terminal = ReturnType<Registry["get"]>;

const OWNER = { entityName: "System", entityId: "terminal-service" };

/** A terminal as a session of the service. */
export function sessionOf({ row, status }: Terminal, shell: string): TerminalSession {
  return {
    id: `term-${row.id.slice("terminal:".length)}`,
    cwd: row.workingDirectory,
    createdAt: new Date(row.createdAt),
    shell,
    ...(status.cwdFallback ? { cwdFallback: true } : {}),
  };
}

/** The shell that was asked for; an empty name asks for the usual one. */
export const shellOf = ({ shell }: SessionOptions): Pick<SessionOptions, "shell"> =>
  shell ? { shell } : {};

/** What to create the terminal of a session from. */
export function inputOf(options: SessionOptions, home: string): TerminalInput {
  const { cwd, cols, rows, env } = options;
  return {
    owner: OWNER,
    workingDirectory: !cwd || cwd.includes("\0") ? home : cwd,
    cwdFallback: "home",
    ...shellOf(options),
    // Zero and nothing both mean the usual size.
    ...(cols || rows ? { size: { cols: cols || 80, rows: rows || 24 } } : {}),
    ...(env === undefined ? {} : { env: { ...env } }),
  };
}
