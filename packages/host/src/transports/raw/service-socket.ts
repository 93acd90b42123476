// The sockets of the terminal service: one session each, or several on one.
import { parseSessionId } from "../../operations/session-id.ts";
import { CLOSE_CODES } from "../../socket/client-socket.ts";
import { closeRefused, toClientError } from "./refusal.ts";
import { SharedSessions } from "./shared-sessions.ts";
import { readServiceMessage, serviceError } from "./service-message.ts";
import { SocketSession } from "./service-session.ts";
import type { SocketDeps } from "./socket-parts.ts";
import { SocketInputWriter } from "./typing.ts";

/** What the sockets of the terminal service ask for beside the credential. */
export interface ServiceAccess {
  /** Whether there is a terminal service at all. */
  readonly enabled: boolean;
  /** Who has given the password. */
  readonly password: { isLoggedIn(token: string | undefined): boolean };
  /** What is known of the machine, such as its `defaultShell`. */
  readonly platform: Readonly<Record<string, unknown>>;
  /** After this long a shared socket with nothing attached is closed. */
  readonly attachMs?: number | undefined;
}

/** Serves one socket until it or its session ends. */
export async function serveService(parts: SocketDeps, access: ServiceAccess): Promise<void> {
  const { socket, query } = parts;
  try {
    const sessionId = query.get("sessionId");
    if (!access.enabled) socket.close(CLOSE_CODES.forbidden, "Terminal access is disabled");
    else if (!access.password.isLoggedIn(query.get("token") ?? undefined)) {
      socket.close(CLOSE_CODES.loginRequired, "Terminal authentication required");
    } else if (sessionId === null) await serveShared(parts, access);
    else if (sessionId === "") socket.close(CLOSE_CODES.sessionRequired, "Session ID required");
    else await serveOne(parts, sessionId, access);
  } catch (error) {
    const refusal = toClientError(error);
    if (refusal.code === "internal") parts.handleProblem(error);
    closeRefused(socket, refusal);
  } finally {
    socket.resume();
  }
}

async function serveOne(
  parts: SocketDeps,
  sessionId: string,
  access: ServiceAccess,
): Promise<void> {
  const { socket } = parts;
  const id = parseSessionId(sessionId);
  if (id === undefined) {
    socket.close(CLOSE_CODES.notFound, "Session not found");
    return;
  }
  const naming = { sessionId, isShared: false };
  const usualShell = usualShellOf(access);
  using typing = new SocketInputWriter(socket);
  using session = await SocketSession.open({ ...parts, id, naming, typing, usualShell });
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

async function serveShared(parts: SocketDeps, access: ServiceAccess): Promise<void> {
  using sessions = new SharedSessions({
    ...parts,
    usualShell: usualShellOf(access),
    attachMs: access.attachMs,
  });
  parts.socket.onMessage((bytes) => sessions.handle(bytes));
  parts.socket.resume();
  await parts.socket.closed;
}

const usualShellOf = ({ platform }: ServiceAccess): string =>
  typeof platform["defaultShell"] === "string" ? platform["defaultShell"] : "";
