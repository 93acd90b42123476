// What the sockets of the terminal service say: JSON in text frames, in the words that its clients know.
import type { Screen } from "@nacre/contracts";
import { z } from "zod";
import { type ClientSocket, CREDIT_BYTES, type SocketMessage } from "../../socket/client-socket.ts";
import type { AttachmentEntry, FrameEncoder, TerminalExit } from "../raw/attached-terminal.ts";
import { splitText } from "./split-text.ts";

/** What a client of the terminal service says; values are looked at where they are used, because some wrong ones are ignored. */
const ServiceMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ping") }),
  z.object({
    type: z.literal("input"),
    sessionId: z.unknown().optional(),
    data: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("resize"),
    sessionId: z.unknown().optional(),
    cols: z.unknown().optional(),
    rows: z.unknown().optional(),
  }),
  z.object({ type: z.literal("attach"), sessionId: z.unknown().optional() }),
  z.object({ type: z.literal("detach"), sessionId: z.unknown().optional() }),
]);

/** A message that is about a session. */
export type SessionMessage = Exclude<z.infer<typeof ServiceMessage>, { type: "ping" }>;

/** Reads a message; answers it itself where it is a ping or none at all. */
export function readServiceMessage(
  bytes: Buffer,
  socket: Pick<ClientSocket, "answer">,
): SessionMessage | undefined {
  const message = ServiceMessage.safeParse(tryParseJson(bytes));
  if (!message.success) socket.answer(serviceError("Invalid message"));
  else if (message.data.type === "ping") socket.answer(JSON.stringify({ type: "pong" }));
  else return message.data;
  return undefined;
}

/** How a client is told that something of its own is wrong. */
export const serviceError = (
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): string => JSON.stringify({ type: "error", message, ...fields });

function tryParseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // Whoever sends no JSON is told so in the same way as who sends the wrong JSON.
    return undefined;
  }
}

/** How frames of one session are named: plainly on its own socket, with prefix and session where several share one. */
export interface FrameNaming {
  readonly sessionId: string;
  readonly isShared: boolean;
}

/** Names of frames that tell of a session. */
type FrameName = "connected" | "scrollback" | "data" | "exit" | "error";

/** Writes a frame of one session down. */
export function sessionFrame(
  { sessionId, isShared }: FrameNaming,
  name: FrameName,
  fields: Readonly<Record<string, unknown>>,
): string {
  if (isShared) return JSON.stringify({ type: `terminal:${name}`, sessionId, ...fields });
  const id = name === "connected" ? { sessionId } : {};
  return JSON.stringify({ type: name, ...id, ...fields });
}

/** What takes everything off an emulator's screen and out of its scrollback. */
const CLEAR = "\u001b[H\u001b[2J\u001b[3J";

/** What a program writes is text without a mark of its own: a byte order mark is one of its characters. */
const newDecoder = (): TextDecoder => new TextDecoder("utf-8", { ignoreBOM: true });

/** How a session is told in text. Characters that come in two pieces are told when they are whole. */
export class ServiceEncoder implements FrameEncoder {
  readonly #naming: FrameNaming;
  #decoder = newDecoder();
  #hasBegun = false;

  constructor(naming: FrameNaming) {
    this.#naming = naming;
  }

  /** Scrollback, which clients show instead of everything else; what is too long for one frame follows as data. */
  snapshot({ content = "" }: Screen): readonly SocketMessage[] {
    this.#decoder = newDecoder();
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (isFirst && isBlank(content)) return [];
    return splitText(content, CREDIT_BYTES).map((part, at) =>
      this.#frame(at === 0 ? "scrollback" : "data", part),
    );
  }

  output(burst: readonly Uint8Array[]): readonly SocketMessage[] {
    const [first] = burst;
    const bytes = first && burst.length === 1 ? first : Buffer.concat(burst);
    return this.#data(this.#decoder.decode(bytes, { stream: true }));
  }

  entry(entry: AttachmentEntry): readonly SocketMessage[] {
    return entry.type === "clear" ? this.#data(CLEAR) : [];
  }

  exit({ exitCode, signal }: TerminalExit): readonly SocketMessage[] {
    const ending = signal === undefined ? { exitCode } : { exitCode, signal };
    return [...this.#data(this.#decoder.decode()), sessionFrame(this.#naming, "exit", ending)];
  }

  #data(data: string): readonly SocketMessage[] {
    return data === "" ? [] : [this.#frame("data", data)];
  }

  #frame(name: "scrollback" | "data", data: string): string {
    return sessionFrame(this.#naming, name, { data });
  }
}

/** Whether a picture draws nothing: it has nothing but controls. */
const isBlank = (content: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  content.replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])/g, "").trim() === "";
