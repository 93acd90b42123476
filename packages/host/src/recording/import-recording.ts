import { randomUUID } from "node:crypto";
import {
  NacreError,
  TerminalId,
  type TerminalOwnerReference,
  type TerminalStorage,
} from "@nacre/contracts";
import type { CastHeader } from "./exchange/cast-header.ts";
import type { ImportedFact } from "./exchange/cast-facts.ts";
import type { ImportOutcome } from "./exchange/import-asciicast.ts";
import type { Moment, Recording } from "./recording.ts";
import type { ImportStep } from "./tasks.ts";

/** Whom the terminal of an import belongs to, and how it is read. */
export interface ImportOptions {
  readonly owner: TerminalOwnerReference;
  readonly workingDirectory: string;
  /** Refuses a damaged file and keeps nothing of it, instead of reading it up to the damage. */
  readonly whole?: boolean;
  /** Says how far it got. */
  progress?(entries: number): void;
}

/** Which cast to import: a file, or bytes as they come from somewhere else. */
export type ImportInput = ImportOptions &
  ({ readonly path: string } | { readonly pieces: AsyncIterable<Uint8Array> });

/** The terminal that an import made, and whether the file was right to its end. */
export interface ImportResult {
  readonly id: TerminalId;
  readonly entries: number;
  readonly outcome: ImportOutcome;
}

/** How terminals are made and removed. */
interface Terminals {
  create(row: TerminalStorage): Promise<Recording>;
  remove(id: TerminalId): Promise<unknown>;
}

/** Labels of terminals have at most this many characters; titles may have more. */
const MAX_NAME_LENGTH = 256;

/** Makes an ended terminal of the steps of an import. */
export async function importRecording(
  steps: AsyncGenerator<ImportStep>,
  input: ImportOptions & Terminals,
): Promise<ImportResult> {
  const made: TerminalId[] = [];
  const create = (row: TerminalStorage): Promise<Recording> => {
    made.push(row.id);
    return input.create(row);
  };
  try {
    return await importSteps(steps, { ...input, create });
  } catch (error) {
    // Half a terminal would look like a whole one.
    for (const id of made) await input.remove(id).catch(() => undefined);
    throw error;
  }
}

async function importSteps(
  steps: AsyncGenerator<ImportStep>,
  input: ImportOptions & Pick<Terminals, "create">,
): Promise<ImportResult> {
  let recording: Recording | undefined;
  let startedAt = Date.now();
  let entries = 0;
  let outcome: ImportOutcome = { complete: false, line: 0, reason: "the file ended" };
  const momentOf = (elapsedMs: number): Moment => ({ at: startedAt + elapsedMs, elapsedMs });
  const append = async ({ fact, elapsedMs }: ImportedFact): Promise<void> => {
    await recording?.appendAt(fact, momentOf(elapsedMs));
  };
  for await (const step of steps) {
    switch (step.kind) {
      case "header":
        startedAt = step.header.occurredAtMs ?? startedAt;
        recording = await input.create(createTerminalRow(step.header, startedAt, input));
        await recording.appendAt({ type: "header", ...step.header.size }, momentOf(0));
        entries++;
        break;
      case "facts":
        await Promise.all(step.facts.map(append));
        entries += step.facts.length;
        input.progress?.(entries);
        break;
      case "outcome":
        outcome = step.outcome;
        if (input.whole === true && !outcome.complete) throw damagedCastError(outcome);
    }
  }
  if (!recording) throw new Error("an import begins with a header");
  await recording.seal();
  return { id: recording.terminalId, entries, outcome };
}

const damagedCastError = ({
  line,
  reason,
}: Extract<ImportOutcome, { complete: false }>): NacreError =>
  new NacreError("invalid_argument", `line ${line}: ${reason}`, {
    details: { line },
    suggestion: "Give a cast that is whole; nothing of this one is kept.",
  });

function createTerminalRow(
  header: CastHeader,
  createdAt: number,
  input: ImportOptions,
): TerminalStorage {
  const { title, command } = header;
  return {
    id: TerminalId.parse(`terminal:${randomUUID()}`),
    owner: input.owner,
    workingDirectory: input.workingDirectory,
    ...(title ? { name: title.slice(0, MAX_NAME_LENGTH).toWellFormed() } : {}),
    ...(command ? { command } : {}),
    createdAt: new Date(createdAt).toISOString(),
  };
}
