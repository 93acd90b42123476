import { NacreError, parse, TerminalId } from "@nacre/contracts";
import { parseSessionId } from "../../operations/session-id.ts";
import { type AttachedMessage, PendingSession } from "./opening-session.ts";
import { CLOSE_CODES } from "../../socket/client-socket.ts";
import { toClientError } from "./refusal.ts";
import { readServiceMessage, serviceError } from "./service-message.ts";
import { SocketSession } from "./service-session.ts";
import type { SocketDeps } from "./socket-parts.ts";
import { SocketInputWriter } from "./typing.ts";

/** A socket that nobody attached anything to is closed after this. */
const ATTACH_MS = 10_000;

/** More sessions than anybody looks at, few enough that what they may have under way stays small. */
const MAX_SESSIONS = 64;

/** What a shared socket is served with. */
export interface SharedSessionsDeps extends SocketDeps {
  /** The shell of sessions that do not say which they have. */
  readonly usualShell: string;
  /** After this long a socket with nothing attached is closed. */
  readonly attachMs?: number | undefined;
}

/** Several sessions on one socket of the terminal service, which take turns on it. */
export class SharedSessions implements Disposable {
  readonly #deps: SharedSessionsDeps;
  readonly #writer: SocketInputWriter;
  readonly #sessions = new Map<string, SocketSession | PendingSession>();
  readonly #timer: NodeJS.Timeout;
  #isDisposed = false;

  constructor(parts: SharedSessionsDeps) {
    this.#deps = parts;
    this.#writer = new SocketInputWriter(parts.socket);
    this.#timer = setTimeout(() => {
      parts.socket.close(CLOSE_CODES.sessionRequired, "Session ID required");
    }, parts.attachMs ?? ATTACH_MS);
  }

  /** Takes one message of the client. */
  handle(bytes: Buffer): void {
    const message = readServiceMessage(bytes, this.#deps.socket);
    if (!message) return;
    const { sessionId } = message;
    if (typeof sessionId !== "string") {
      this.#deps.socket.answer(serviceError("sessionId is required"));
    } else if (message.type === "attach") {
      void this.#attach(sessionId);
    } else {
      this.#pass(sessionId, message);
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#writer[Symbol.dispose]();
    clearTimeout(this.#timer);
    for (const session of this.#sessions.values()) {
      if (session instanceof SocketSession) session[Symbol.dispose]();
    }
    this.#sessions.clear();
  }

  #pass(sessionId: string, message: AttachedMessage): void {
    const session = this.#sessions.get(sessionId);
    if (session instanceof PendingSession && session.hold(message)) return;
    if (!(session instanceof SocketSession)) {
      this.#refuse(sessionId, new NacreError("terminal_not_found", "Session not found"));
      return;
    }
    switch (message.type) {
      case "input":
        return session.input(message.data);
      case "resize":
        return session.resize(message.cols, message.rows);
      case "detach":
        this.#sessions.delete(sessionId);
        return session[Symbol.dispose]();
    }
  }

  async #attach(sessionId: string): Promise<void> {
    let session: SocketSession | undefined;
    try {
      session = await this.#open(sessionId);
      await session?.run();
    } catch (error) {
      if (!this.#isDisposed) this.#refuse(sessionId, error);
    } finally {
      session?.[Symbol.dispose]();
      if (session && this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId);
    }
  }

  async #open(sessionId: string): Promise<SocketSession | undefined> {
    if (this.#sessions.has(sessionId)) {
      throw new NacreError("already_exists", `${sessionId} is attached`);
    }
    if (this.#sessions.size >= MAX_SESSIONS) {
      throw new NacreError("limit_reached", `at most ${MAX_SESSIONS} sessions share a socket`);
    }
    const id = parseSessionId(sessionId) ?? parse(TerminalId, sessionId, "sessionId");
    const opening = new PendingSession();
    this.#sessions.set(sessionId, opening);
    try {
      const naming = { sessionId, isShared: true };
      const typing = this.#writer;
      const session = await SocketSession.open({ ...this.#deps, id, naming, typing });
      clearTimeout(this.#timer);
      if (this.#isDisposed) {
        session[Symbol.dispose]();
        return undefined;
      }
      this.#sessions.set(sessionId, session);
      for (const message of opening.messages) this.#pass(sessionId, message);
      return session;
    } catch (error) {
      this.#sessions.delete(sessionId);
      throw error;
    }
  }

  #refuse(sessionId: string, error: unknown): void {
    if (!(error instanceof NacreError)) this.#deps.handleProblem(error);
    const { code, message } = toClientError(error);
    this.#deps.socket.answer(serviceError(message, { sessionId, code }));
  }
}
