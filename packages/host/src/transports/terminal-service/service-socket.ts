// The sockets of the terminal service: one session each, or several on one.
import { NacreError, parse, TerminalId } from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import { parseSessionId } from "./session-id.ts";
import { CLOSE_CODES } from "../../socket/client-socket.ts";
import { type SocketAccess, usualShellOf } from "./service-access.ts";
import { readServiceMessage, serviceError, type SessionMessage } from "./service-frames.ts";
import { SocketSession } from "./socket-session.ts";
import { closeRefused, type SocketDeps } from "../raw/socket-deps.ts";

/** The numbers of close frames that only clients of this service know. */
const LOGIN_REQUIRED = 4001;
const SESSION_REQUIRED = 4002;

/** What a client may say to a session before that is there; who says more waits for it. */
const MAX_HELD_LENGTH = 64 * 1024;

/** What a message costs beside its data, roughly. */
const MESSAGE_LENGTH = 256;

/** A message to a session that is attached. */
type AttachedMessage = Exclude<SessionMessage, { type: "attach" }>;

/** Keeps what a client says to a session that is just being opened, in its order: clients need not wait before they speak. */
class PendingSession {
  readonly messages: AttachedMessage[] = [];
  #length = 0;

  /** Keeps a message; tells whether there was room for it. */
  hold(message: AttachedMessage): boolean {
    const isTyped = message.type === "input" && typeof message.data === "string";
    const length = MESSAGE_LENGTH + (isTyped ? String(message.data).length : 0);
    if (this.#length + length > MAX_HELD_LENGTH) return false;
    this.#length += length;
    this.messages.push(message);
    return true;
  }
}

/** A socket that nobody attached anything to is closed after this. */
const ATTACH_MS = 10_000;

/** More sessions than anybody looks at, few enough that what they may have under way stays small. */
const MAX_SESSIONS = 64;

interface SharedSessionsDeps extends SocketDeps {
  /** The shell of sessions that do not say which they have. */
  readonly usualShell: string;
  /** After this long a socket with nothing attached is closed. */
  readonly attachMs?: number | undefined;
}

/** Several sessions on one socket of the terminal service, which take turns on it. */
class SharedSessions implements Disposable {
  readonly #deps: SharedSessionsDeps;
  readonly #sessions = new Map<string, SocketSession | PendingSession>();
  readonly #timer: NodeJS.Timeout;
  #isDisposed = false;

  constructor(deps: SharedSessionsDeps) {
    this.#deps = deps;
    this.#timer = setTimeout(() => {
      deps.socket.close(SESSION_REQUIRED, "Session ID required");
    }, deps.attachMs ?? ATTACH_MS);
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
      const session = await SocketSession.open({ ...this.#deps, id, naming });
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
    const { code, message } = toNacreError(error);
    this.#deps.socket.answer(serviceError(message, { sessionId, code }));
  }
}

/** Serves one socket until it or its session ends. */
export async function serveService(deps: SocketDeps, access: SocketAccess): Promise<void> {
  const { socket, query } = deps;
  try {
    const sessionId = query.get("sessionId");
    if (!access.enabled) socket.close(CLOSE_CODES.forbidden, "Terminal access is disabled");
    else if (!access.password.isLoggedIn(query.get("token") ?? undefined)) {
      socket.close(LOGIN_REQUIRED, "Terminal authentication required");
    } else if (sessionId === null) await serveShared(deps, access);
    else if (sessionId === "") socket.close(SESSION_REQUIRED, "Session ID required");
    else await serveOne(deps, sessionId, access);
  } catch (error) {
    const refusal = toNacreError(error);
    if (refusal.code === "internal") deps.handleProblem(error);
    closeRefused(socket, refusal);
  } finally {
    socket.resume();
  }
}

async function serveOne(deps: SocketDeps, sessionId: string, access: SocketAccess): Promise<void> {
  const { socket } = deps;
  const id = parseSessionId(sessionId);
  if (id === undefined) {
    socket.close(CLOSE_CODES.notFound, "Session not found");
    return;
  }
  const naming = { sessionId, isShared: false };
  const usualShell = usualShellOf(access);
  using session = await SocketSession.open({ ...deps, id, naming, usualShell });
  using _gone = socket.onClose(() => session[Symbol.dispose]());
  socket.onMessage((bytes) => {
    const message = readServiceMessage(bytes, socket);
    if (message?.type === "input") session.input(message.data);
    else if (message?.type === "resize") session.resize(message.cols, message.rows);
    else if (message) socket.answer(serviceError("This socket has its session"));
  });
  socket.resume();
  await session.run();
  socket.close(CLOSE_CODES.ended, "Session ended");
}

async function serveShared(deps: SocketDeps, access: SocketAccess): Promise<void> {
  using sessions = new SharedSessions({
    ...deps,
    usualShell: usualShellOf(access),
    attachMs: access.attachMs,
  });
  deps.socket.onMessage((bytes) => sessions.handle(bytes));
  deps.socket.resume();
  await deps.socket.closed;
}
