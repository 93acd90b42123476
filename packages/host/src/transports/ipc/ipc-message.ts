import type { Writable } from "node:stream";
import {
  encodeError,
  type EntityEventEnvelope,
  EntityEventsInput,
  type NacreError,
} from "@nacre/contracts";
import { z } from "zod";
import { encodeEventMessage } from "../../operations/feed.ts";

/** Writes lines with backpressure. */
export class LineWriter {
  readonly #socket: Writable;

  constructor(socket: Writable) {
    this.#socket = socket;
  }

  /** Resolves when there is room, or nobody reads any more. */
  async write(message: IpcMessage): Promise<void> {
    const socket = this.#socket;
    if (!socket.writable || socket.write(encodeLine(message))) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        socket.off("drain", finish).off("close", finish);
        resolve();
      };
      socket.on("drain", finish).on("close", finish);
    });
  }
}

const encodeLine = (message: IpcMessage): Buffer | string =>
  message.type === "event"
    ? Buffer.concat([encodeEventMessage(message), LINE_FEED])
    : `${JSON.stringify(message)}\n`;

const LINE_FEED = Buffer.from("\n");

/** Long enough for any client's id. */
const MAX_ID_LENGTH = 128;

const word = (description: string) => z.string().min(1).max(MAX_ID_LENGTH).meta({ description });

/** Per connection. */
export const IpcRequestId = z.union([word("Chosen by the client."), z.int()]);
export type IpcRequestId = z.infer<typeof IpcRequestId>;

export const IpcRequest = z.strictObject({
  type: z.literal("request"),
  id: IpcRequestId,
  method: word("What is asked for."),
  params: z.unknown().optional(),
  clientId: word("Which of its caller's clients sends this.").optional(),
  // Clients send these two; the caller is known from the socket, so they decide nothing.
  surfacePath: z.string().optional(),
  authToken: z.string().optional(),
});
export type IpcRequest = z.infer<typeof IpcRequest>;

export const EntityParams = z.strictObject({
  entity: word("Name of the entity, such as `Terminal`."),
  method: word("Name of one of its methods."),
  id: z.string().optional(),
  payload: z.record(z.string(), z.unknown()).optional(),
});
export type EntityParams = z.infer<typeof EntityParams>;

export const NoParams = z.strictObject({}).optional();

/** Absent: all. */
export const ChannelParams = z
  .strictObject({ channels: EntityEventsInput.shape.channel.optional() })
  .optional();

export const EventSubscribeParams = z
  .strictObject({
    channels: EntityEventsInput.shape.channel.optional(),
    after: EntityEventsInput.shape.after,
    types: EntityEventsInput.shape.types,
  })
  .optional();

/** Enough to correct a request by. */
const MAX_VALIDATION_ERRORS = 16;

interface ValidationError {
  readonly path: string;
  readonly message: string;
}

export interface IpcError {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly suggestion: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly validationErrors?: readonly ValidationError[];
}

export type IpcMessage =
  | {
      readonly type: "response";
      readonly id: IpcRequestId | null;
      readonly ok: true;
      readonly result: unknown;
    }
  | {
      readonly type: "response";
      readonly id: IpcRequestId | null;
      readonly ok: false;
      readonly error: IpcError;
    }
  | { readonly type: "event"; readonly event: EntityEventEnvelope }
  | { readonly type: "resync"; readonly reason?: string | undefined };

/** Clients know what is not offered as `NOT_IMPLEMENTED`. */
export function encodeIpcError(error: NacreError): IpcError {
  const { code, cause } = error;
  return {
    ...encodeError(error),
    code: code === "unsupported" ? "NOT_IMPLEMENTED" : code,
    ...(cause instanceof z.ZodError ? { validationErrors: listValidationErrors(cause) } : {}),
  };
}

const listValidationErrors = ({ issues }: z.ZodError): readonly ValidationError[] =>
  issues
    .slice(0, MAX_VALIDATION_ERRORS)
    .map(({ path, message }) => ({ path: path.map(String).join("."), message }));
