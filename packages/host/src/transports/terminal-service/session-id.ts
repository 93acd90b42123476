// How the terminal service names the sessions that its clients know as `term-…`, and whose they are.
import { TerminalId } from "@nacre/contracts";

const TERMINAL = "terminal:";
const SESSION = "term-";

export const formatSessionId = (id: TerminalId): string => SESSION + id.slice(TERMINAL.length);

/** By either name; undefined where it is neither. */
export function parseSessionId(sessionId: string): TerminalId | undefined {
  const isSession = sessionId.startsWith(SESSION);
  const id = isSession ? TERMINAL + sessionId.slice(SESSION.length) : sessionId;
  return TerminalId.safeParse(id).data;
}

/** For whom sessions are created that nobody owns. */
export const SESSION_OWNER = { entityName: "System", entityId: "terminal-service" };
