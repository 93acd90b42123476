import type { TerminalId } from "@nacre/contracts";

/** Where on the page a terminal is shown. */
export const terminalPath = (id: TerminalId): string =>
  `/t/${encodeURIComponent(id.slice("terminal:".length))}`;
