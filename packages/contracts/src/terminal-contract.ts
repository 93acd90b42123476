import type { z } from "zod";
import {
  TerminalRecordingEntryInputSchema,
  TerminalRecordingEntrySchema,
} from "./recording-entry.ts";
import {
  FindRecordingEntriesInput,
  TerminalRecordingEntryCollectionSchema,
} from "./recording-page.ts";
import { TerminalSendInputSchema } from "./send-input.ts";
import { TerminalInputSchema } from "./terminal-input.ts";
import { TerminalSummary } from "./terminal-list.ts";
import { ReadTerminalInput, TerminalSchema, TerminalStorageSchema } from "./terminal.ts";

export interface EntityMethod {
  readonly description: string;
  readonly kind: "query" | "mutation";
  /** `class` methods name no entity; `entity` methods name one by `id`. */
  readonly execution: "class" | "entity";
  /** `host`: only the host itself calls it. */
  readonly access: "host" | "callers";
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

export interface EntityEvent {
  readonly description: string;
  readonly payload: z.ZodType;
}

/** A property that names entities of another table. */
export interface EntityReference {
  readonly property: string;
  readonly table: string;
  readonly cardinality: "one" | "many";
  /** False: filled in when the entity is read, not stored in the row. */
  readonly stored: boolean;
  /** Effect on this entity when the named one is deleted. */
  readonly onDelete?: "cascade";
}

/** The complete interface of an entity; nothing else can be called or published. */
export interface EntityContract {
  readonly entityName: string;
  readonly table: string;
  readonly storage: z.ZodType;
  readonly data: z.ZodType;
  readonly methods: Readonly<Record<string, EntityMethod>>;
  readonly events: Readonly<Record<string, EntityEvent>>;
  readonly references: readonly EntityReference[];
}

export const TerminalContract = {
  entityName: "Terminal",
  table: "terminal",
  storage: TerminalStorageSchema,
  data: TerminalSchema,
  methods: {
    create: {
      description: "Creates a terminal and starts its program.",
      kind: "mutation",
      execution: "class",
      access: "callers",
      input: TerminalInputSchema,
      output: TerminalSchema,
    },
    read: {
      description: "Reads a terminal, live or ended, without changing anything.",
      kind: "query",
      execution: "entity",
      access: "callers",
      input: ReadTerminalInput,
      output: TerminalSchema,
    },
    sendInput: {
      description: "Types into a terminal, gives it a new size, or both.",
      kind: "mutation",
      execution: "entity",
      access: "callers",
      input: TerminalSendInputSchema,
      output: TerminalSchema,
    },
  },
  events: {
    "data.changed": {
      description: "The terminal, as `read` gives it, changed; at most ten times a second.",
      payload: TerminalSchema,
    },
    "recordingEntry.appended": {
      description:
        "An entry was appended to the terminal's recording; of a flood, which the recording has, a part is told and then `resync`.",
      payload: TerminalRecordingEntrySchema,
    },
  },
  references: [
    {
      property: "recordingEntries",
      table: "terminal_recording_entry",
      cardinality: "many",
      stored: false,
    },
  ],
} as const satisfies EntityContract;

/** One list row per terminal: whoever lists terminals need not receive their output. */
export const TerminalSummaryContract = {
  entityName: "TerminalSummary",
  table: "terminal_summary",
  storage: TerminalSummary,
  data: TerminalSummary,
  methods: {},
  events: {
    "data.changed": {
      description: "The line of a terminal in a list changed; output alone does not change it.",
      payload: TerminalSummary,
    },
  },
  references: [{ property: "id", table: "terminal", cardinality: "one", stored: false }],
} as const satisfies EntityContract;

/** Entries are appended and found, never changed. */
export const TerminalRecordingEntryContract = {
  entityName: "TerminalRecordingEntry",
  table: "terminal_recording_entry",
  storage: TerminalRecordingEntrySchema,
  data: TerminalRecordingEntrySchema,
  methods: {
    append: {
      description:
        "Appends a fact to a recording and gives it its identity and sequence; only the host does.",
      kind: "mutation",
      execution: "class",
      access: "host",
      input: TerminalRecordingEntryInputSchema,
      output: TerminalRecordingEntrySchema,
    },
    find: {
      description: "Finds entries of one terminal in order of sequence.",
      kind: "query",
      execution: "class",
      access: "callers",
      input: FindRecordingEntriesInput,
      output: TerminalRecordingEntryCollectionSchema,
    },
  },
  events: {
    "data.changed": {
      description: "The entry came to be; entries never change afterwards.",
      payload: TerminalRecordingEntrySchema,
    },
  },
  references: [
    {
      property: "terminalId",
      table: "terminal",
      cardinality: "one",
      stored: true,
      onDelete: "cascade",
    },
  ],
} as const satisfies EntityContract;
