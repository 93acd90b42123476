import { z } from "zod";
import { EntityEventsInput } from "@nacre/contracts";

/** Long enough for any identity a client makes up. */
const MAX_ID_LENGTH = 128;

/** A word of the wire, such as the name of an entity. */
const word = (description: string) => z.string().min(1).max(MAX_ID_LENGTH).meta({ description });

/** Names a request among those of one connection; its answer carries the same. */
export const IpcRequestId = z.union([word("Chosen by the client."), z.int()]);
export type IpcRequestId = z.infer<typeof IpcRequestId>;

/** One line that a client sends. */
export const IpcRequest = z.strictObject({
  type: z.literal("request"),
  id: IpcRequestId,
  method: word("What is asked for."),
  params: z.unknown().optional(),
  clientId: word("Which of its caller's clients sends this.").optional(),
  // Clients of this wire send these two; who asks is known from the socket itself, so they decide nothing.
  surfacePath: z.string().optional(),
  authToken: z.string().optional(),
});
export type IpcRequest = z.infer<typeof IpcRequest>;

/** Which method of which entity, and with what. */
export const EntityParams = z.strictObject({
  entity: word("Name of the entity, such as `Terminal`."),
  method: word("Name of one of its methods."),
  id: z.string().optional(),
  payload: z.record(z.string(), z.unknown()).optional(),
});
export type EntityParams = z.infer<typeof EntityParams>;

/** For methods that ask for nothing in particular. */
export const NoParams = z.strictObject({}).optional();

/** Patterns of channels; absent means all of them. */
export const ChannelParams = z
  .strictObject({ channels: EntityEventsInput.shape.channel.optional() })
  .optional();

/** Which events to hear from now on, or from after one that was heard before. */
export const EventSubscribeParams = z
  .strictObject({
    channels: EntityEventsInput.shape.channel.optional(),
    after: EntityEventsInput.shape.after,
    types: EntityEventsInput.shape.types,
  })
  .optional();
