import { z } from "zod";
import { ChannelPattern, EntityEventEnvelopeSchema } from "./entity-event.ts";
import type { ErrorCode } from "./error.ts";
import { TerminalId } from "./ids.ts";
import type { Scope } from "./operations.ts";
import { TerminalRecordingEntrySchema } from "./recording-entry.ts";
import { Screen } from "./screen.ts";
import { AfterSequence } from "./sequence.ts";

/** A running feed that every wire can carry. */
export interface Subscription {
  /** What it tells, in one sentence. */
  readonly summary: string;
  readonly input: z.ZodType;
  /** The shape of each message of the feed. */
  readonly message: z.ZodType;
  /** The failures of its own, beside those common to all operations. */
  readonly errors: readonly ErrorCode[];
  readonly http: { readonly method: "GET"; readonly path: string };
  /** Which credentials may follow it. */
  readonly scopes: readonly Scope[];
  /** What a follower can count on. */
  readonly delivery: string;
}

/** Which Terminal to follow, and from where. */
export const TerminalFeedInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to follow." }),
    after: AfterSequence.optional().meta({
      description: "Go on after this sequence, without a snapshot where that is possible.",
    }),
  })
  .meta({ description: "Which terminal to follow, and from where." });
export type TerminalFeedInput = z.infer<typeof TerminalFeedInput>;

/** One message of a terminal feed: a Snapshot to start from, or the next Entry. */
export const TerminalFeedMessage = z
  .discriminatedUnion("kind", [
    z
      .strictObject({
        kind: z
          .literal("snapshot")
          .meta({ description: "Forget what was shown; start from this." }),
        screen: Screen.meta({ description: "What the terminal shows as of its sequence." }),
      })
      .meta({ description: "A snapshot; the first message, and again after falling behind." }),
    z
      .strictObject({
        kind: z.literal("entry").meta({ description: "The next entry of the recording." }),
        entry: TerminalRecordingEntrySchema.meta({ description: "The entry, already recorded." }),
      })
      .meta({ description: "The entry that follows the snapshot or the entry before." }),
  ])
  .meta({ description: "One message of a terminal feed." });
export type TerminalFeedMessage = z.infer<typeof TerminalFeedMessage>;

/** Each pattern is compared with each event; a bound keeps one listener from slowing the others. */
const MAX_CHANNEL_PATTERNS = 64;

/** Which events to hear. */
export const EntityEventsInput = z
  .strictObject({
    channels: z.array(ChannelPattern).min(1).max(MAX_CHANNEL_PATTERNS).meta({
      description: "Hear the events whose channel one of these patterns selects.",
    }),
    after: z.string().min(1).max(128).optional().meta({
      description: "The `eventId` heard last, to resume after it where that is possible.",
    }),
  })
  .meta({ description: "Which events to hear." });
export type EntityEventsInput = z.infer<typeof EntityEventsInput>;

/** THE OTHER TABLE: every feed there is. */
export const SUBSCRIPTIONS = {
  terminalFeed: {
    summary: "Follows one terminal: a snapshot, then every entry after it, once and in order.",
    input: TerminalFeedInput,
    message: TerminalFeedMessage,
    errors: ["terminal_not_found"],
    http: { method: "GET", path: "/api/terminals/{id}/feed" },
    scopes: ["operator", "agent", "readOnly"],
    delivery:
      "Every entry once and in order; a follower too far behind gets a fresh snapshot instead.",
  },
  entityEvents: {
    summary: "Hears the events of entities on the channels selected.",
    input: EntityEventsInput,
    message: EntityEventEnvelopeSchema,
    errors: [],
    http: { method: "GET", path: "/api/events" },
    scopes: ["operator", "agent", "readOnly"],
    delivery: "At most once; what an event tells can always be read again.",
  },
} as const satisfies Readonly<Record<string, Subscription>>;

/** Names a subscription. */
export type SubscriptionName = keyof typeof SUBSCRIPTIONS;

/** What a named subscription takes. */
export type SubscriptionInput<Name extends SubscriptionName> = z.infer<
  (typeof SUBSCRIPTIONS)[Name]["input"]
>;

/** What a named subscription tells. */
export type SubscriptionMessage<Name extends SubscriptionName> = z.infer<
  (typeof SUBSCRIPTIONS)[Name]["message"]
>;
