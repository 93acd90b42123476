// The socket of one terminal: bytes both ways, and beside them control for whoever asks for it.
import { parse, TerminalId } from "@nacre/contracts";
import { AttachedTerminal, parseStart } from "./attached-terminal.ts";
import { ConnectEncoder, CONTROL_PROTOCOL } from "./connect-frames.ts";
import { ConnectInput } from "./connect-input.ts";
import { CursorQueries } from "./cursor-queries.ts";
import { CLOSE_CODES } from "../../socket/client-socket.ts";
import { closeRefused, toClientError } from "./refusal.ts";
import type { SocketDeps } from "./socket-parts.ts";
import { Viewer } from "./viewer.ts";

/** Shows a terminal to one socket until either of them ends. */
export async function serveConnect(parts: SocketDeps, id: TerminalId): Promise<void> {
  const { socket } = parts;
  try {
    await show(parts, id);
    socket.close(CLOSE_CODES.ended, "terminal ended");
  } catch (error) {
    const refusal = toClientError(error);
    if (refusal.code === "internal") parts.handleProblem(error);
    closeRefused(socket, refusal);
  } finally {
    socket.resume();
  }
}

async function show({ socket, ...parts }: SocketDeps, id: TerminalId): Promise<void> {
  const hasControl = parts.query.get("control") === "1" || parts.protocol === CONTROL_PROTOCOL;
  const start = parseStart(parts.query.get("cursor"));
  const { operations } = parts;
  const context = { ...parts.context, inside: parseInside(parts.query.get("inside")) };
  using terminal = await AttachedTerminal.open({ operations, id, context }, start);
  const queries = new CursorQueries();
  const { handleProblem } = parts;
  using input = new ConnectInput({ socket, terminal, queries, hasControl, handleProblem });
  socket.onMessage((bytes, isText) => input.handle(bytes, isText));
  socket.resume();
  const wire = new ConnectEncoder(hasControl);
  using viewer = new Viewer({
    terminal,
    outlet: socket.sendQueue,
    wire,
    first: wire.begin(start, terminal.after),
    handleOutput: (output) => queries.note(output),
    maxBehindMs: parts.maxBehindMs,
  });
  using _ended = socket.onClose(() => {
    viewer[Symbol.dispose]();
    terminal[Symbol.dispose]();
  });
  const ending = await viewer.run();
  if (socket.isOpen) await viewer.finish(wire.exit(ending ?? (await terminal.readExit())));
}

/** The terminal in which the viewer itself runs, where it says so. */
const parseInside = (text: string | null): TerminalId | undefined =>
  text === null ? undefined : parse(TerminalId, text, "inside");
