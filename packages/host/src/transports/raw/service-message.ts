import { z } from "zod";
import type { ClientSocket } from "../../socket/client-socket.ts";

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
