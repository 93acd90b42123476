import { z } from "zod";
import { labelText } from "./bounded-text.ts";
import { ChannelPattern, EntityEventEnvelopeSchema, MAX_EVENT_ID_LENGTH } from "./entity-event.ts";
import type { ErrorCode } from "./error.ts";
import { AfterSequence, TerminalId } from "./ids.ts";
import { EntryTypes, TerminalRecordingEntrySchema } from "./recording-entry.ts";
import { OutputView } from "./recording-page.ts";
import type { Scope } from "./scope.ts";
import { Screen } from "./screen.ts";

/** A feed that every wire carries. */
export interface Subscription {
  readonly summary: string;
  readonly input: z.ZodType;
  readonly message: z.ZodType;
  /** Errors of its own, beside `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
  readonly http: { readonly method: "GET"; readonly path: string };
  readonly scopes: readonly Scope[];
  /** The delivery guarantee. */
  readonly delivery: string;
}

export const TerminalFeedInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to follow." }),
    after: AfterSequence.optional().meta({
      description: "Go on after this sequence, without a snapshot where that is possible.",
    }),
    view: OutputView.optional(),
    types: EntryTypes.optional().meta({
      description: "Only entries of these types, beside snapshots; all types when absent.",
    }),
  })
  .meta({ description: "Which terminal to follow, and from where." });
export type TerminalFeedInput = z.infer<typeof TerminalFeedInput>;

/** A snapshot to start from, or the next entry. */
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

/** Every event is matched against each pattern; the bound keeps one listener from slowing the others. */
const MAX_CHANNEL_PATTERNS = 64;

export const EntityEventsInput = z
  .strictObject({
    channel: z.array(ChannelPattern).min(1).max(MAX_CHANNEL_PATTERNS).meta({
      description: "Hear the events whose channel one of these patterns selects.",
    }),
    after: z.string().min(1).max(MAX_EVENT_ID_LENGTH).optional().meta({
      description:
        "The `eventId` heard last, to resume after it; a `resync` tells when that is not possible.",
    }),
    types: EntryTypes.optional().meta({
      description:
        "Of entries, only those of these types, by themselves and in `recordingEntries`; all types when absent.",
    }),
  })
  .meta({ description: "Which events to hear." });
export type EntityEventsInput = z.infer<typeof EntityEventsInput>;

/** One log line. */
const MAX_REASON_LENGTH = 256;

/** The next event, or that events were missed. */
export const EntityEventsMessage = z
  .discriminatedUnion("type", [
    z
      .strictObject({
        type: z.literal("event").meta({ description: "The next event." }),
        event: EntityEventEnvelopeSchema.meta({ description: "The event." }),
      })
      .meta({ description: "The event that follows the one before." }),
    z
      .strictObject({
        type: z
          .literal("resync")
          .meta({ description: "Events were missed; read again what you follow." }),
        reason: labelText({
          description: "Why, for people.",
          maxLength: MAX_REASON_LENGTH,
        }).optional(),
      })
      .meta({ description: "Events were missed; events after this message follow in order." }),
  ])
  .meta({ description: "One message of an event feed." });
export type EntityEventsMessage = z.infer<typeof EntityEventsMessage>;

/** Every subscription. */
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
    message: EntityEventsMessage,
    errors: [],
    http: { method: "GET", path: "/api/events" },
    scopes: ["operator", "agent", "readOnly"],
    delivery:
      "In order and resumable after an `eventId`; an explicit `resync` when that is not possible.",
  },
} as const satisfies Readonly<Record<string, Subscription>>;

export type SubscriptionName = keyof typeof SUBSCRIPTIONS;

export type SubscriptionInput<Name extends SubscriptionName> = z.infer<
  (typeof SUBSCRIPTIONS)[Name]["input"]
>;

export type SubscriptionMessage<Name extends SubscriptionName> = z.infer<
  (typeof SUBSCRIPTIONS)[Name]["message"]
>;
