import { z } from "zod";
import { Command } from "./command.ts";
import { AfterSequence, CommandId, TerminalId } from "./ids.ts";
import { excerptBytes, ExcerptView, OutputExcerpt } from "./output.ts";
import { checkPage, PAGE_RULES } from "./page.ts";
import { listLimit, MAX_LIST_LENGTH } from "./terminal-list.ts";

export const ListCommandsInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose commands to list." }),
    after: AfterSequence.optional().meta({
      description: "Only commands that began after this sequence; all when absent.",
    }),
    limit: listLimit,
  })
  .meta({ description: "Which commands of a terminal to list." });
export type ListCommandsInput = z.infer<typeof ListCommandsInput>;

export const CommandList = z
  .strictObject({
    commands: z.array(Command).max(MAX_LIST_LENGTH).meta({
      description: "The commands, oldest first.",
    }),
    truncated: z.boolean().meta({ description: "Whether more commands follow this page." }),
    nextAfter: AfterSequence.optional().meta({
      description: "What to send as `after` for the next page; present exactly when truncated.",
    }),
  })
  .superRefine(checkPage)
  .meta({ description: "A page of commands.", ...PAGE_RULES });
export type CommandList = z.infer<typeof CommandList>;

export const ReadCommandInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal the command ran in." }),
    commandId: CommandId.meta({ description: "The command to read." }),
    maxOutputBytes: excerptBytes,
    view: ExcerptView.optional(),
  })
  .meta({ description: "Which command to read." });
export type ReadCommandInput = z.infer<typeof ReadCommandInput>;

export const CommandOutput = z
  .strictObject({
    command: Command.meta({ description: "The command, as far as it went." }),
    output: OutputExcerpt.meta({ description: "What it wrote so far." }),
  })
  .meta({ description: "A command with what it wrote." });
export type CommandOutput = z.infer<typeof CommandOutput>;
