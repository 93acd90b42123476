import { isAbsolute, resolve } from "node:path";
import type { TerminalInput } from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";
import type { SessionInfo, SessionOptions } from "./session.ts";

type Terminal = ReturnType<Registry["get"]>;

const OWNER = { entityName: "System", entityId: "terminal-service" };

/** A terminal as the service lists it. */
export function toSessionInfo(
  { row, status }: Terminal,
  { cwd, shell }: SessionOptions & { readonly shell: string },
): SessionInfo {
  const isHome = status.cwdFallback ?? cwd?.includes("\0") ?? false;
  return {
    id: `term-${row.id.slice("terminal:".length)}`,
    cwd: row.workingDirectory,
    createdAt: new Date(row.createdAt),
    shell,
    ...(isHome ? { cwdFallback: true } : {}),
  };
}

/** The shell that was asked for; an empty name asks for the usual one. */
export const shellOf = ({ shell }: SessionOptions): Pick<SessionOptions, "shell"> =>
  shell ? { shell } : {};

/** What to create the terminal of a session from. */
export function buildTerminalInput(options: SessionOptions, usualDirectory: string): TerminalInput {
  const { cols, rows, env } = options;
  return {
    owner: OWNER,
    workingDirectory: directoryOf(options) ?? usualDirectory,
    cwdFallback: "home",
    ...shellOf(options),
    // Zero and nothing both mean the usual size.
    ...(cols || rows ? { size: { cols: cols || 80, rows: rows || 24 } } : {}),
    ...(env === undefined ? {} : { env: { ...env } }),
  };
}

/** The directory that was asked for, if it can be one at all. */
function directoryOf({ cwd = "" }: SessionOptions): string | undefined {
  const path = cwd.trim();
  if (path === "" || path.includes("\0")) return undefined;
  return isAbsolute(path) ? path : resolve(path);
}
