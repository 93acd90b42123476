import { z } from "zod";
import { titleText } from "./bounded-text.ts";
import { Command } from "./command.ts";
import { TerminalId } from "./ids.ts";
import { checkPage, OwnerFilter, PAGE_RULES } from "./page.ts";
import { TerminalState } from "./terminal-state.ts";
import { TerminalSchema } from "./terminal.ts";

const fields = TerminalSchema.shape;

/** One row of a list, without recording and screen. */
export const TerminalSummary = z
  .strictObject({
    id: fields.id,
    name: fields.name,
    owner: fields.owner,
    createdAt: fields.createdAt,
    title: titleText("Title of the terminal, or what stands for it; never empty."),
    state: fields.state,
    claim: fields.claim,
    exitCode: fields.exitCode,
    signal: fields.signal,
    lostReason: fields.lostReason,
    cwd: fields.cwd,
    commandDetection: fields.commandDetection,
    runningCommand: fields.runningCommand,
    lastCommand: Command.optional().meta({
      description: "The command that ended last; absent when none did since the host started.",
    }),
    inputNeeded: fields.inputNeeded,
    recordingBlocked: fields.recordingBlocked,
    inputPolicy: fields.inputPolicy,
    controlRequests: fields.controlRequests,
    inputRequests: fields.inputRequests,
    lapsedRequests: fields.lapsedRequests,
    viewers: fields.viewers,
  })
  .meta({ description: "A terminal as one line of a list." });
export type TerminalSummary = z.infer<typeof TerminalSummary>;

export const DEFAULT_LIST_LENGTH = 100;

/** Both sides hold a page in memory; fetch the next for more. */
export const MAX_LIST_LENGTH = 1000;

export const listLimit = z
  .int()
  .min(1)
  .max(MAX_LIST_LENGTH)
  .optional()
  .meta({ description: `At most this many; ${DEFAULT_LIST_LENGTH} when absent.` });

export const ListTerminalsInput = z
  .strictObject({
    state: TerminalState.optional().meta({ description: "Only terminals in this state." }),
    owner: OwnerFilter.optional().meta({ description: "Only terminals of this owner." }),
    after: TerminalId.optional().meta({
      description: "The `nextAfter` of the page before, to go on from there.",
    }),
    limit: listLimit,
  })
  .meta({ description: "Which terminals to list." });
export type ListTerminalsInput = z.infer<typeof ListTerminalsInput>;

export const TerminalList = z
  .strictObject({
    terminals: z.array(TerminalSummary).max(MAX_LIST_LENGTH).meta({
      description: "The terminals, oldest first.",
    }),
    truncated: z.boolean().meta({ description: "Whether more terminals follow this page." }),
    nextAfter: TerminalId.optional().meta({
      description: "What to send as `after` for the next page; present exactly when truncated.",
    }),
  })
  .superRefine(checkPage)
  .meta({ description: "A page of terminals.", ...PAGE_RULES });
export type TerminalList = z.infer<typeof TerminalList>;
