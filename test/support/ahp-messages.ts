// What a host says over the Agent Host Protocol, as far as clients of these tests look at it without a mirror.
import { crc32 } from "node:zlib";
import { z } from "zod";

/** A terminal, in the list of the root or by itself, as far as its end is told. */
const ListedTerminal = z.looseObject({
  exitCode: z.int().optional(),
  lifecycle: z.looseObject({ status: z.string(), exitCode: z.int().optional() }).optional(),
});
export type ListedTerminal = z.infer<typeof ListedTerminal>;

/** One numbered action of a channel. */
export const Told = z.object({
  channel: z.string(),
  serverSeq: z.int(),
  action: z.looseObject({
    type: z.string(),
    data: z.string().optional(),
    terminals: z.array(ListedTerminal).optional(),
  }),
  rejectionReason: z.string().optional(),
});
export type Told = z.infer<typeof Told>;

/** The state of a channel as of a number. */
export const ToldSnapshot = z.object({
  resource: z.string(),
  fromSeq: z.int(),
  state: ListedTerminal.extend({
    terminals: z.array(ListedTerminal).optional(),
    content: z
      .array(z.object({ value: z.string().optional(), output: z.string().optional() }))
      .optional(),
  }),
});
export type ToldSnapshot = z.infer<typeof ToldSnapshot>;

const InitializeAnswer = z.object({ snapshots: z.array(ToldSnapshot) });

/** What is answered to who comes back with one cursor. */
const ReconnectAnswer = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("replay"),
    actions: z.array(Told),
    missing: z.array(z.string()),
  }),
  z.object({ type: z.literal("snapshot"), snapshots: z.array(ToldSnapshot) }),
]);

/** What is answered to who comes back with a cursor for each channel. */
const ChannelsAnswer = z.object({
  channels: z.array(
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("replay"), channel: z.string(), actions: z.array(Told) }),
      z.object({ kind: z.literal("snapshot"), channel: z.string(), snapshot: ToldSnapshot }),
      z.object({ kind: z.literal("missing"), channel: z.string() }),
    ]),
  ),
});

/** What a handshake brought, however it was made. */
export interface Welcome {
  readonly actions: readonly Told[];
  readonly snapshots: readonly ToldSnapshot[];
  /** Undefined where an answer does not say which channels are gone. */
  readonly missing: readonly string[] | undefined;
}

/** Reads the answer to `initialize` or to either form of `reconnect`. */
export function readWelcome(result: unknown): Welcome {
  const { channels } = ChannelsAnswer.safeParse(result).data ?? {};
  if (channels) {
    return {
      actions: channels.flatMap((one) => (one.kind === "replay" ? one.actions : [])),
      snapshots: channels.flatMap((one) => (one.kind === "snapshot" ? one.snapshot : [])),
      missing: channels.flatMap((one) => (one.kind === "missing" ? one.channel : [])),
    };
  }
  const answer = z.union([ReconnectAnswer, InitializeAnswer]).parse(result);
  if (!("type" in answer)) return { actions: [], missing: undefined, ...answer };
  if (answer.type === "snapshot") return { actions: [], missing: undefined, ...answer };
  return { snapshots: [], ...answer };
}

/** Any message of a host. */
export const Message = z.object({
  id: z.int().nullable().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
});
export type Message = z.infer<typeof Message>;

/** A short name for an action, the same only for the same action. */
export const printOf = (action: unknown): number => crc32(JSON.stringify(action));

/** What was written, all parts together. */
export const textOf = ({ state }: ToldSnapshot): string =>
  (state.content ?? []).map(({ value, output }) => value ?? output ?? "").join("");
