import { z } from "zod";
import { titleText } from "./bounded-text.ts";
import { Command } from "./command.ts";
import { TerminalSchema } from "./terminal.ts";

const fields = TerminalSchema.shape;

/** A Terminal as one line of a list: enough for a manager to show it, without its recording and its screen. */
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
