import { z } from "zod";
import { CallerId, TerminalId, Timestamp } from "./ids.ts";
import { jsonObject } from "./json-object.ts";
import { checkPage, PAGE_RULES } from "./page.ts";
import { Scope } from "./scope.ts";
import { listLimit, MAX_LIST_LENGTH } from "./terminal-list.ts";

export const Via = z
  .enum(["http", "ipc", "raw", "ahp", "files", "mcp", "service", "library"])
  .meta({
    description:
      "What the request came by: `http`, `ipc` of the local socket, `raw` bytes of a terminal, `ahp` of agent hosts, `files`, `mcp`, the terminal `service`, or the `library` in the same process.",
  });
export type Via = z.infer<typeof Via>;

/** Facts are counts and names, never content, so a record fits on one log line. */
const MAX_FACTS_LENGTH = 2048;

/** Actions and outcomes are single words. */
const MAX_WORD_LENGTH = 64;

/** An address with its port, or a pid and its uid. */
const MAX_PEER_LENGTH = 256;

const word = (description: string) =>
  z
    .string()
    .max(MAX_WORD_LENGTH)
    .regex(/^[A-Za-z][A-Za-z_]*$/, "expected a word")
    .meta({ description });

const newFields = {
  occurredAt: Timestamp.meta({ description: "When it happened." }),
  caller: CallerId.optional().meta({ description: "Who asked; absent before that was known." }),
  scope: Scope.optional(),
  via: Via,
  peer: z.string().max(MAX_PEER_LENGTH).optional().meta({
    description: "Where the connection really comes from: an address, or a process and its user.",
  }),
  action: word(
    "Name of the operation, or `connect`, `disconnect`, `refuse` of a connection, `claim` of a terminal.",
  ),
  terminalId: TerminalId.optional().meta({ description: "The terminal concerned." }),
  outcome: word("`ok`, or the code of the error that was answered."),
  facts: jsonObject(MAX_FACTS_LENGTH).optional().meta({
    description: "How much and which: counts, digests, names; never what was typed or written.",
  }),
};

export const NewAuditRecord = z
  .strictObject(newFields)
  .meta({ description: "What happened, before it has its place in the audit." });
export type NewAuditRecord = z.infer<typeof NewAuditRecord>;

export const AuditSequence = z
  .int()
  .min(1)
  .meta({ description: "Place of the record in the audit: 1, 2, 3…" });
export type AuditSequence = z.infer<typeof AuditSequence>;

export const AuditRecord = z
  .strictObject({ sequence: AuditSequence, ...newFields })
  .meta({ description: "Who did what, when, and how it ended." });
export type AuditRecord = z.infer<typeof AuditRecord>;

export const ListAuditInput = z
  .strictObject({
    after: z.int().min(0).optional().meta({
      description: "Only records with a greater sequence; from the oldest when absent.",
    }),
    limit: listLimit,
  })
  .meta({ description: "Which records of the audit to list." });
export type ListAuditInput = z.infer<typeof ListAuditInput>;

export const AuditPage = z
  .strictObject({
    records: z.array(AuditRecord).max(MAX_LIST_LENGTH).meta({
      description: "The records, newest last.",
    }),
    truncated: z.boolean().meta({ description: "Whether more records follow this page." }),
    nextAfter: z.int().min(0).optional().meta({
      description: "What to send as `after` for the next page; present exactly when truncated.",
    }),
  })
  .superRefine(checkPage)
  .meta({ description: "A page of the audit.", ...PAGE_RULES });
export type AuditPage = z.infer<typeof AuditPage>;
