import { NacreError, type TerminalId, type TerminalSummary } from "@nacre/contracts";
import type { CallContext } from "../../../operations/call-context.ts";
import { parseSessionId } from "../../../operations/session-id.ts";
import type { RouterDeps } from "../router-parts.ts";
import {
  isSession,
  toListedSession,
  makeSessionOwner,
  type ServiceSession,
  toSession,
} from "./session.ts";
import { SessionError } from "./session-reply.ts";

/** The most lines one page of the list may have. */
const PAGE_LENGTH = 1000;

type Body = Readonly<Record<string, unknown>>;

/** What the terminal service does, said with operations. */
export class SessionOperations {
  readonly #operations: RouterDeps["operations"];
  readonly #context: CallContext;
  readonly #usualShell: string;

  constructor({ operations, sessions }: RouterDeps, context: CallContext) {
    this.#operations = operations;
    this.#context = context;
    const { defaultShell } = sessions.platform;
    this.#usualShell = typeof defaultShell === "string" ? defaultShell : "";
  }

  /** How many sessions there are and may be. */
  async counts(): Promise<{ readonly currentSessions: number; readonly maxSessions: number }> {
    const { terminals, limits } = await this.#operations.call("readHost", {}, this.#context);
    return { currentSessions: terminals.running, maxSessions: limits.maxTerminals };
  }

  async list(): Promise<readonly ServiceSession[]> {
    const lines = (await this.#lines()).filter(isSession);
    return await Promise.all(
      lines.map(
        async (line) => toListedSession(line, this.#usualShell) ?? (await this.read(line.id)),
      ),
    );
  }

  async read(sessionId: string): Promise<ServiceSession> {
    const id = requireId(sessionId);
    const terminal = await this.#operations.call("readTerminal", { id }, this.#context);
    if (!isSession(terminal)) throw new SessionError(404, "Session not found");
    return toSession(terminal, this.#usualShell);
  }

  /** Starts a shell; nothing and zero both mean the usual. */
  async create({ cwd, shell, cols, rows }: Body): Promise<ServiceSession> {
    const directory = typeof cwd === "string" ? cwd.trim() : cwd;
    const asked = {
      owner: makeSessionOwner(
        this.#context.caller,
        typeof shell === "string" && shell ? shell : this.#usualShell,
      ),
      cwdFallback: "home",
      ...(directory ? { workingDirectory: directory } : {}),
      ...(shell ? { shell } : {}),
      ...(cols || rows ? { size: { cols: cols || 80, rows: rows || 24 } } : {}),
    };
    try {
      const terminal = await this.#operations.call("createTerminal", asked, this.#context);
      return toSession(terminal, this.#usualShell);
    } catch (error) {
      throw error instanceof NacreError && error.code === "limit_reached"
        ? await this.#full(error)
        : error;
    }
  }

  /** Ends a session; one that ended by itself is gone already. */
  async end(sessionId: string, force: boolean): Promise<void> {
    await this.read(sessionId);
    const id = requireId(sessionId);
    await this.#operations.call("disposeTerminal", { id, force }, this.#context);
  }

  async resize(sessionId: string, { cols, rows }: Body): Promise<void> {
    const id = requireId(sessionId);
    const resizing = this.#operations.call("resizeTerminal", { id, cols, rows }, this.#context);
    await resizing.catch(withMessage(cols && rows ? undefined : "cols and rows are required"));
  }

  /** Sets how many sessions there may be; without a number as many as before. */
  async configure(settings: Body): Promise<void> {
    const { maxSessions = (await this.counts()).maxSessions } = settings;
    const asked = { maxTerminals: maxSessions };
    const changing = this.#operations.call("changeLimits", asked, this.#context);
    await changing.catch(withMessage(`maxSessions must be ${describeExpected(maxSessions)}`));
  }

  async #full(error: NacreError): Promise<SessionError> {
    const counts = await this.counts();
    return new SessionError(429, "Maximum terminal sessions reached", {
      details: `${error.message}. ${error.suggestion}`,
      ...counts,
    });
  }

  async #lines(): Promise<readonly TerminalSummary[]> {
    const lines: TerminalSummary[] = [];
    for (let after: string | undefined; ;) {
      const asked = { limit: PAGE_LENGTH, ...(after === undefined ? {} : { after }) };
      const page = await this.#operations.call("listTerminals", asked, this.#context);
      lines.push(...page.terminals);
      if (page.nextAfter === undefined) return lines;
      after = page.nextAfter;
    }
  }
}

/** Tells a wrong value in the documented words; asked only after the operation has said who may ask at all. */
const withMessage =
  (words: string | undefined) =>
  (error: unknown): never => {
    const isWrongValue = error instanceof NacreError && error.code === "invalid_argument";
    throw isWrongValue && words !== undefined ? new SessionError(400, words) : error;
  };

/** What cannot be an id, such as one that a client kept from another service, is that of no session. */
function requireId(sessionId: string): TerminalId {
  const id = parseSessionId(sessionId);
  if (id === undefined) throw new SessionError(404, "Session not found");
  return id;
}

function describeExpected(count: unknown): string {
  if (typeof count !== "number") return "a number";
  return Number.isInteger(count) ? "between 1 and 1000" : "an integer";
}
