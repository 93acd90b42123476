import {
  type Caller,
  ERRORS,
  NacreError,
  type TerminalData,
  type TerminalId,
  type TerminalOwnerReference,
  type TerminalSummary,
} from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/operations.ts";
import { formatSessionId, parseSessionId, SESSION_OWNER } from "./session-id.ts";
import { type HttpReply, jsonReply } from "../http/reply.ts";

// How the terminal service tells success and failure; its words are documented and stay in this folder.

/** A failure in the words of the terminal service, with what else its clients read. */
export class SessionError extends Error {
  readonly status: number;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }
}

/** Success, with what was asked for. */
export const dataReply = (data: unknown): HttpReply => jsonReply(200, { success: true, data });

/** Success, with nothing to say. */
export const successReply = (): HttpReply => jsonReply(200, { success: true });

/** Sessions that ended are gone for this service. */
const NOT_FOUND: ReadonlySet<string> = new Set(["terminal_not_found", "terminal_exited"]);

/** A failure, whatever it is; one that is a bug is thrown on. */
export function failureReply(error: unknown): HttpReply {
  if (error instanceof SessionError) {
    return jsonReply(error.status, { success: false, error: error.message, ...error.more });
  }
  if (error instanceof NacreError && NOT_FOUND.has(error.code)) {
    return failureReply(new SessionError(404, "Session not found"));
  }
  const { code, message, suggestion } = toNacreError(error);
  if (code === "internal") throw error;
  return jsonReply(ERRORS[code].httpStatus, {
    success: false,
    error: message,
    details: suggestion,
    code,
  });
}

/** A session as the terminal service shows it; its id is that of the terminal, written as `term-…`. */
interface ServiceSession {
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: string;
  readonly shell: string;
  /** Present when it started in the home directory because the one asked for could not be used. */
  readonly cwdFallback?: true;
}

/** Under which name the owner keeps which shell a session has. */
const SHELL_ATTRIBUTE = "shell";

/** Whose a new session is: the caller's own where it has an owner; the shell is kept with it. */
const makeSessionOwner = ({ owner }: Caller, shell: string): TerminalOwnerReference => ({
  ...(owner ?? SESSION_OWNER),
  attributes: { ...owner?.attributes, [SHELL_ATTRIBUTE]: shell },
});

/** The shell of a session; one that was not created here has the usual one for all that is known. */
function shellOf(owner: TerminalOwnerReference, usual: string): string {
  const shell = owner.attributes?.[SHELL_ATTRIBUTE];
  return typeof shell === "string" ? shell : usual;
}

/** A terminal as a session. */
const toSession = (terminal: TerminalData, usualShell: string): ServiceSession => ({
  id: formatSessionId(terminal.id),
  cwd: terminal.workingDirectory,
  createdAt: terminal.createdAt,
  shell: shellOf(terminal.owner, usualShell),
  ...(terminal.cwdFallback === undefined ? {} : { cwdFallback: terminal.cwdFallback }),
});

/** A line of the list as a session, where the line tells enough. */
const toListedSession = (
  { id, cwd, createdAt, owner }: TerminalSummary,
  usualShell: string,
): ServiceSession | undefined =>
  cwd === undefined
    ? undefined
    : { id: formatSessionId(id), cwd, createdAt, shell: shellOf(owner, usualShell) };

/** Sessions that ended are gone for this service; their recordings are found by other routes. */
const isSession = ({ state }: Pick<TerminalSummary, "state">): boolean =>
  state === "active" || state === "creating" || state === "killing";

/** The most lines one page of the list may have. */
const PAGE_LENGTH = 1000;

type Body = Readonly<Record<string, unknown>>;

/** What the terminal service does, said with operations. */
export class SessionOperations {
  readonly #operations: Pick<Operations, "call">;
  readonly #context: CallContext;
  readonly #usualShell: string;

  constructor(
    operations: Pick<Operations, "call">,
    how: { readonly context: CallContext; readonly usualShell: string },
  ) {
    this.#operations = operations;
    this.#context = how.context;
    this.#usualShell = how.usualShell;
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
