// Long work of the reader thread, in steps: whoever asked takes the next step when the last one was used up.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import {
  type ExportFormat,
  NacreError,
  type OutputView,
  type Size,
  type TerminalId,
} from "@nacre/contracts";
import type { StoreReader } from "../store/store.ts";
import { toDamageError } from "./store-errors.ts";
import type { ImportedFact } from "./formats/cast-facts.ts";
import type { CastHeader } from "./formats/cast-header.ts";
import { exportAsciicast } from "./formats/export-asciicast.ts";
import {
  exportHtml,
  exportJsonLines,
  exportRaw,
  exportText,
  stripEntryMarkers,
} from "./formats/exporters.ts";
import { importAsciicast, type ImportOutcome } from "./formats/import-asciicast.ts";
import type { ReaderMethods } from "./recording-reader.ts";
import { decodeEntry, type RecordedEntry } from "./recorded-entry.ts";
import type { RestartingWorker } from "../base/port-rpc.ts";
import { verifyRecording, type VerifyStep } from "./verify.ts";

export interface ExportInput {
  readonly terminalId: TerminalId;
  readonly format: ExportFormat;
  /** Includes typed input; asciicast only. */
  readonly input?: boolean | undefined;
  /** `idle_time_limit` of a cast, in seconds. */
  readonly idleTimeLimit?: number | undefined;
  /** Range of entries; default all. */
  readonly fromSequence?: number | undefined;
  readonly toSequence?: number | undefined;
  /** Default `raw`. */
  readonly view?: OutputView | undefined;
}

/** A path, or a descriptor open in this process. */
export type ImportSource = { readonly path: string } | { readonly descriptor: number };

/** First the header, then facts, last how the file ended. */
export type ImportStep =
  | { readonly kind: "header"; readonly header: CastHeader }
  | { readonly kind: "facts"; readonly facts: readonly ImportedFact[] }
  | { readonly kind: "outcome"; readonly outcome: ImportOutcome };

/** Read per step of an export, passed on per step of an import. */
const STEP_BYTES = 256 * 1024;
const STEP_ENTRIES = 1000;
const FILE_PIECE_BYTES = 64 * 1024;

/** Read lazily. */
function* readEntryRange(
  store: StoreReader,
  { terminalId, fromSequence = 1, toSequence = Number.MAX_SAFE_INTEGER }: ExportInput,
): Generator<RecordedEntry> {
  for (let after = fromSequence - 1; ;) {
    const query = { terminalId, after, limit: STEP_ENTRIES, maxBytes: STEP_BYTES };
    const rows = store.readEntries(query);
    for (const row of rows) {
      if (row.sequence > toSequence) return;
      yield decodeEntry(row);
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.sequence;
  }
}

/** Size before the first exported entry, where that does not contain it. */
function sizeBefore(
  store: StoreReader,
  { terminalId, fromSequence = 1 }: ExportInput,
): Size | undefined {
  const [row] = store.readEntries({
    terminalId,
    before: fromSequence,
    types: ["header", "resize"],
    limit: 1,
    maxBytes: 1,
  });
  const entry = row && decodeEntry(row);
  if (entry?.type === "header" || entry?.type === "resize") {
    return { cols: entry.cols, rows: entry.rows };
  }
  const anchor = store.readAnchor(terminalId);
  return anchor && { cols: anchor.cols, rows: anchor.rows };
}

function* exportSteps(store: StoreReader, input: ExportInput): Generator<Uint8Array<ArrayBuffer>> {
  const terminal = store.readTerminal(input.terminalId);
  if (!terminal)
    throw new NacreError("terminal_not_found", `no terminal has the id ${input.terminalId}`);
  const raw = readEntryRange(store, input);
  const entries = input.view === "stripped" ? stripEntryMarkers(raw) : raw;
  const size = sizeBefore(store, input);
  const about = {
    createdAt: terminal.createdAt,
    title: terminal.name,
    command: terminal.command && [terminal.command, ...(terminal.args ?? [])].join(" "),
    size,
    idleTimeLimit: input.idleTimeLimit,
  };
  switch (input.format) {
    case "asciicast3":
    case "asciicast2": {
      const version = input.format === "asciicast3" ? 3 : 2;
      yield* exportAsciicast(entries, { terminal: about, version, input: input.input });
      return;
    }
    case "text":
      yield* exportText(entries, size);
      return;
    case "html":
      yield* exportHtml(entries, {
        size,
        title: terminal.name ?? about.command ?? terminal.id,
        details: [terminal.createdAt, terminal.workingDirectory, about.command ?? ""].filter(
          Boolean,
        ),
      });
      return;
    case "jsonLines":
      yield* exportJsonLines(entries);
      return;
    case "raw":
      yield* exportRaw(entries);
  }
}

function* exportRecording(
  store: StoreReader,
  input: ExportInput,
): Generator<Uint8Array<ArrayBuffer>> {
  try {
    yield* exportSteps(store, input);
  } catch (error) {
    throw toDamageError(error, input.terminalId);
  }
}

function* readFilePieces(path: string): Generator<Uint8Array> {
  // O_NONBLOCK: a FIFO must not block.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) {
      throw new NacreError("invalid_argument", `${path} is not a file`, { field: "path" });
    }
    yield* readPieces(file);
  } finally {
    closeSync(file);
  }
}

function* readPieces(file: number): Generator<Uint8Array> {
  for (let position = 0; ;) {
    const piece = new Uint8Array(FILE_PIECE_BYTES);
    const count = readSync(file, piece, { position });
    if (count === 0) return;
    position += count;
    yield piece.subarray(0, count);
  }
}

function* importSteps(source: ImportSource): Generator<ImportStep> {
  using cast = importAsciicast(
    "path" in source ? readFilePieces(source.path) : readPieces(source.descriptor),
    () => ("path" in source ? statSync(source.path) : fstatSync(source.descriptor)).size,
  );
  yield { kind: "header", header: cast.header };
  let facts: ImportedFact[] = [];
  let bytes = 0;
  for (const fact of cast.facts) {
    facts.push(fact);
    bytes += "data" in fact.fact ? (fact.fact.data?.byteLength ?? 0) : 0;
    if (bytes < STEP_BYTES && facts.length < STEP_ENTRIES) continue;
    yield { kind: "facts", facts };
    facts = [];
    bytes = 0;
  }
  if (facts.length > 0) yield { kind: "facts", facts };
  yield { kind: "outcome", outcome: cast.outcome() };
}

export interface TaskSteps {
  readonly verify: VerifyStep;
  readonly export: Uint8Array<ArrayBuffer>;
  readonly import: ImportStep;
}

export type TaskInput =
  | { readonly task: "verify"; readonly terminalId: TerminalId }
  | ({ readonly task: "export" } & ExportInput)
  | { readonly task: "import"; readonly source: ImportSource };

export class ReaderTasks {
  readonly #store: StoreReader;
  readonly #running = new Map<number, Generator<unknown>>();
  #lastId = 0;

  constructor(store: StoreReader) {
    this.#store = store;
  }

  start(input: TaskInput): number {
    const id = ++this.#lastId;
    this.#running.set(id, this.#stepsOf(input));
    return id;
  }

  /** Undefined at the end. */
  next(id: number): { readonly step: unknown } | undefined {
    const next = this.#running.get(id)?.next();
    if (next && !next.done) return { step: next.value };
    this.#running.delete(id);
    return undefined;
  }

  stop(id: number): void {
    this.#running.get(id)?.return(undefined);
    this.#running.delete(id);
  }

  #stepsOf(input: TaskInput): Generator<unknown> {
    switch (input.task) {
      case "verify":
        return verifyRecording(this.#store, input.terminalId);
      case "export":
        return exportRecording(this.#store, input);
      case "import":
        return importSteps(input.source);
    }
  }
}

/** Steps are made on demand; the task ends with its consumer. */
export async function* runTask<Task extends TaskInput>(
  service: RestartingWorker<ReaderMethods>,
  input: Task,
): AsyncGenerator<TaskSteps[Task["task"]]> {
  const reader = service.current;
  const id = await reader.call("start", input);
  try {
    for (;;) {
      const next = await reader.call("next", id);
      if (!next) return;
      // The task name determines the step type.
      yield next.step as TaskSteps[Task["task"]];
    }
  } finally {
    if (!reader.isClosed) await reader.call("stop", id);
  }
}
