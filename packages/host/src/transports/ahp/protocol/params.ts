// Params of requests and notifications; unknown keys are ignored.
import { Columns, parse, Rows } from "@nacre/contracts";
import { z } from "zod";
import { invalidParams, toJsonRpcError } from "./json-rpc.ts";
import { TerminalClaim } from "./state.ts";
import { isRoot, MAX_URI_BYTES } from "./uri.ts";

const channel = z
  .string()
  .min(1)
  .refine((uri) => Buffer.byteLength(uri) <= MAX_URI_BYTES, `has more than ${MAX_URI_BYTES} bytes`)
  .meta({ description: `The channel that is meant; up to ${MAX_URI_BYTES} bytes.` });

/** Connection requests concern no channel, and some clients omit it. */
const rootChannel = channel
  .refine(isRoot, "expected `ahp-root://`")
  .optional()
  .meta({ description: "The root channel, `ahp-root://`, also when it is left out." });

const clientId = z.string().min(1).meta({
  description: "Name that the client chose for itself and keeps when it connects again.",
});

const lastSeen = z.int().min(0).meta({ description: "The greatest number that the client has." });

export const InitializeParams = z
  .object({
    channel: rootChannel,
    // Unreadable versions are skipped by the negotiation.
    protocolVersions: z.unknown().meta({
      type: "array",
      items: { type: "string" },
      description:
        "The versions that the client speaks; the highest that the host speaks is taken.",
    }),
    clientId,
    initialSubscriptions: z
      .array(z.string())
      .optional()
      .meta({ description: "Channels to subscribe to at once; unknown ones are left out." }),
  })
  .meta({ description: "Begins a connection." });
export type InitializeParams = z.infer<typeof InitializeParams>;

export const ChannelCursor = z
  .object({ channel, lastSeenServerSeq: lastSeen })
  .meta({ description: "A channel and the greatest number that the client has of it." });
export type ChannelCursor = z.infer<typeof ChannelCursor>;

export const ReconnectParams = z
  .object({
    channel: rootChannel,
    clientId,
    lastSeenServerSeq: lastSeen.optional().meta({
      description: "The greatest number that the client has; needed unless each channel has one.",
    }),
    subscriptions: z
      .union([z.array(z.string()), z.array(ChannelCursor)])
      .meta({ description: "The channels it was subscribed to." }),
  })
  .refine(
    ({ lastSeenServerSeq, subscriptions }) =>
      lastSeenServerSeq !== undefined || typeof subscriptions[0] === "object",
    { path: ["lastSeenServerSeq"], message: "expected an integer from 0" },
  )
  .meta({ description: "Goes on with what an earlier connection of the client had." });
export type ReconnectParams = z.infer<typeof ReconnectParams>;

export const SubscribeParams = z.object({ channel }).meta({ description: "Follows a channel." });
export type SubscribeParams = z.infer<typeof SubscribeParams>;

export const UnsubscribeParams = z
  .object({ channel })
  .meta({ description: "Follows a channel no longer." });
export type UnsubscribeParams = z.infer<typeof UnsubscribeParams>;

export const DispatchActionParams = z
  .object({
    channel,
    clientSeq: z.int().meta({ description: "Number of the action; comes back in its `origin`." }),
    action: z
      .looseObject({ type: z.string().meta({ description: "What shall happen." }) })
      .meta({ description: "What shall happen." }),
  })
  .meta({ description: "Wants something to happen on a channel." });
export type DispatchActionParams = z.infer<typeof DispatchActionParams>;

export const CreateTerminalParams = z
  .object({
    channel: channel.meta({ description: "The channel that the terminal gets." }),
    claim: TerminalClaim.meta({
      description: "Who holds it first: the client itself, or a session that it speaks for.",
    }),
    name: z.string().optional().meta({ description: "Title of the terminal." }),
    cwd: z
      .string()
      .optional()
      .meta({ description: "Directory to start in, a `file:` URI; the home directory if absent." }),
    cols: Columns.optional().meta({ description: "Columns; 80 if absent." }),
    rows: Rows.optional().meta({ description: "Rows; 24 if absent." }),
    _meta: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Under `dev.nacre`: what else `createTerminal` of the host takes." }),
  })
  .meta({ description: "Creates a terminal." });
export type CreateTerminalParams = z.infer<typeof CreateTerminalParams>;

export const DisposeTerminalParams = z
  .object({ channel })
  .meta({ description: "Ends a terminal and takes it off the list." });
export type DisposeTerminalParams = z.infer<typeof DisposeTerminalParams>;

/** There are no agent sessions. */
export const ListSessionsParams = z
  .object({})
  .meta({ description: "Asks for sessions of agents; this host has none." });
export type ListSessionsParams = z.infer<typeof ListSessionsParams>;

export const PARAMS = {
  InitializeParams,
  ReconnectParams,
  SubscribeParams,
  UnsubscribeParams,
  DispatchActionParams,
  CreateTerminalParams,
  DisposeTerminalParams,
  ListSessionsParams,
} as const;

/** Throws -32602 with the field below `at`. */
export function parseParams<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at = "",
): z.output<Schema> {
  const fields = value === undefined ? {} : value;
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    throw invalidParams(at === "" ? "params" : at, "expected an object");
  }
  try {
    return parse(schema, fields, at);
  } catch (error) {
    throw toJsonRpcError(error) ?? error;
  }
}
