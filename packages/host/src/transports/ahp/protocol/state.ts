// States in the newest shape; `shaping.ts` translates them for older versions.
import { z } from "zod";

/** Claims are in every list, so another system's address in one is kept short. */
const MAX_CLAIM_NAME_LENGTH = 1024;

const claimName = (description: string) =>
  z.string().min(1).max(MAX_CLAIM_NAME_LENGTH).meta({ description });

const uri = (description: string) => z.string().min(1).meta({ description });

export const TerminalClientClaim = z
  .object({
    kind: z.literal("client").meta({ description: "A client holds the terminal." }),
    clientId: z.string().min(1).meta({ description: "The client that holds it." }),
  })
  .meta({ description: "A terminal that a client holds." });

export const TerminalSessionClaim = z
  .object({
    kind: z.literal("session").meta({ description: "A session of an agent holds the terminal." }),
    session: claimName("Address of the session."),
    chat: claimName("Address of the chat of the session; always there since 0.9.").optional(),
    turnId: claimName("The turn of the session; absent in the background.").optional(),
    toolCallId: claimName("The tool call of the turn; absent in the background.").optional(),
  })
  .meta({ description: "A terminal that a session of an agent holds." });

export const TerminalClaim = z
  .discriminatedUnion("kind", [TerminalClientClaim, TerminalSessionClaim])
  .meta({ description: "Who holds a terminal." });
export type TerminalClaim = z.infer<typeof TerminalClaim>;

export const TerminalLifecycle = z
  .discriminatedUnion("status", [
    z
      .object({ status: z.literal("running").meta({ description: "The program runs." }) })
      .meta({ description: "The program runs." }),
    z
      .object({
        status: z.literal("exited").meta({ description: "The program has ended." }),
        exitCode: z.int().optional().meta({
          description: "Its exit code; absent after a signal and where it is not known.",
        }),
      })
      .meta({ description: "The program has ended." }),
  ])
  .meta({ description: "Whether the program runs." });
export type TerminalLifecycle = z.infer<typeof TerminalLifecycle>;

export const TerminalInfo = z
  .object({
    resource: uri("The channel of the terminal."),
    title: z.string().meta({ description: "Title of the terminal; never empty." }),
    claim: TerminalClaim,
    lifecycle: TerminalLifecycle,
    _meta: z.record(z.string(), z.unknown()).optional().meta({
      description:
        "Under `dev.nacre` why nothing new of it is told: `recordingBlocked`, as on a full disk; and what people are asked about it: `inputRequests`, and `lapsedRequests` that nobody answered in time. Absent otherwise.",
    }),
  })
  .meta({ description: "A terminal as one line of the list." });
export type TerminalInfo = z.infer<typeof TerminalInfo>;

export const UnclassifiedPart = z
  .object({
    type: z.literal("unclassified").meta({ description: "What was shown outside of commands." }),
    value: z.string().meta({ description: "Output with its escape sequences." }),
  })
  .meta({ description: "What was shown before, between and after commands." });

export const CommandPart = z
  .object({
    type: z.literal("command").meta({ description: "One command and what it showed." }),
    commandId: z.string().meta({ description: "Identity of the command in its terminal." }),
    commandLine: z.string().meta({ description: "The command line." }),
    output: z.string().meta({ description: "Output with its escape sequences." }),
    timestamp: z.int().min(0).meta({ description: "When it began, in Unix milliseconds." }),
    isComplete: z.boolean().meta({ description: "Whether it has ended." }),
    exitCode: z.int().optional().meta({ description: "Its exit code, where it is known." }),
    durationMs: z.number().min(0).optional().meta({ description: "How long it took." }),
  })
  .meta({ description: "One command and what it showed." });

export const TerminalContentPart = z
  .discriminatedUnion("type", [UnclassifiedPart, CommandPart])
  .meta({ description: "A stretch of what a terminal showed." });
export type TerminalContentPart = z.infer<typeof TerminalContentPart>;

export const TerminalState = z
  .object({
    title: z.string().meta({ description: "Title of the terminal; never empty." }),
    cwd: uri("Directory the shell is in, as a `file:` URI; absent when unknown.").optional(),
    cols: z.int().min(1).optional().meta({ description: "Columns; only together with `rows`." }),
    rows: z.int().min(1).optional().meta({ description: "Rows; only together with `cols`." }),
    content: z.array(TerminalContentPart).meta({
      description: "What it showed; the parts, one after the other, draw its screen.",
    }),
    lifecycle: TerminalLifecycle,
    claim: TerminalClaim,
    supportsCommandDetection: z
      .boolean()
      .optional()
      .meta({ description: "Whether its commands are told." }),
    isPty: z.boolean().optional().meta({
      description: "Whether a pseudo-terminal is behind it; otherwise its output is plain text.",
    }),
  })
  .meta({ description: "One terminal." });
export type TerminalState = z.infer<typeof TerminalState>;

export const RootState = z
  .object({
    agents: z.array(z.unknown()).meta({ description: "Agents of the host; it has none." }),
    activeSessions: z.int().min(0).optional().meta({ description: "Sessions of agents that run." }),
    terminals: z.array(TerminalInfo).optional().meta({
      description: "Every terminal that the client may see, in the order of creation.",
    }),
    _meta: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Which build the host is, under `hostBuild` and `dev.nacre`." }),
  })
  .meta({ description: "The host." });
export type RootState = z.infer<typeof RootState>;

export const Snapshot = z
  .object({
    resource: uri("The channel, as it was asked for."),
    state: z.union([RootState, TerminalState]).meta({ description: "Its state." }),
    fromSeq: z.int().min(0).meta({
      description: "The state has everything up to this number; what comes later has greater ones.",
    }),
  })
  .meta({ description: "The state of a channel as of a number." });
export type Snapshot = z.infer<typeof Snapshot>;
