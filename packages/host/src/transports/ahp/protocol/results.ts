// Results in the newest shape.
import { z } from "zod";
import { SHAPED_SCHEMAS } from "./shaped-schemas.ts";

const { ActionEnvelope, Snapshot } = SHAPED_SCHEMAS.lifecycle;

const snapshots = z.array(Snapshot);

const envelopes = z.array(ActionEnvelope).meta({
  description: "Everything that the client missed, in the order of its numbers.",
});

const channel = z.string().meta({ description: "The channel." });

const InitializeResult = z
  .object({
    protocolVersion: z.string().meta({ description: "One of the versions that were offered." }),
    serverSeq: z.int().min(1).meta({ description: "The last number that the host gave." }),
    serverInfo: z
      .object({
        name: z.string().meta({ description: "Name of the host." }),
        version: z.string().meta({ description: "Its version." }),
      })
      .optional()
      .meta({ description: "Which host it is." }),
    defaultDirectory: z
      .string()
      .optional()
      .meta({ description: "Where terminals start by default, a `file:` URI." }),
    snapshots: snapshots.meta({
      description: "The channels of `initialSubscriptions` that there are.",
    }),
    _meta: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Since 0.9: under `dev.nacre` the version and further requests." }),
  })
  .meta({ description: "What a connection begins with." });

const SubscribeResult = z
  .object({ snapshot: Snapshot })
  .meta({ description: "What a subscription begins with." });

const Replay = z
  .object({
    type: z.literal("replay").meta({ description: "The client goes on where it was." }),
    actions: envelopes,
    missing: z
      .array(z.string())
      .meta({ description: "The channels that there are no longer, or not for this client." }),
  })
  .meta({ description: "What was missed." });

const Anew = z
  .object({
    type: z.literal("snapshot").meta({ description: "The client begins anew." }),
    snapshots: snapshots.meta({ description: "The channels that there are." }),
  })
  .meta({ description: "The present states, where what was missed is not kept any more." });

const ByChannel = z
  .object({
    channels: z
      .array(
        z.discriminatedUnion("kind", [
          z.object({
            kind: z.literal("replay").meta({ description: "It goes on." }),
            channel,
            actions: envelopes,
          }),
          z.object({
            kind: z.literal("snapshot").meta({ description: "It begins anew." }),
            channel,
            snapshot: Snapshot,
          }),
          z.object({ kind: z.literal("missing").meta({ description: "It is gone." }), channel }),
        ]),
      )
      .meta({ description: "One entry for each channel that was asked for." }),
  })
  .meta({ description: "The answer where each channel had a number of its own." });

const ReconnectResult = z
  .union([Replay, Anew, ByChannel])
  .meta({ description: "What a connection goes on with." });

const NullResult = z.null().meta({ description: "It was done." });

const ListSessionsResult = z
  .object({ items: z.array(z.never()).meta({ description: "Always empty." }) })
  .meta({ description: "The sessions of agents; this host has none." });

export const RESULTS = {
  InitializeResult,
  ReconnectResult,
  SubscribeResult,
  PingResult: NullResult,
  CreateTerminalResult: NullResult,
  DisposeTerminalResult: NullResult,
  ListSessionsResult,
} as const;
