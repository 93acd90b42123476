import {
  type LostReason,
  NacreError,
  type TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";
import { firstClaim, HOST_CLAIM } from "../claim/claim-rules.ts";
import type { ResumedCommands } from "../command/command-state.ts";
import type { PtyDriver, RunningPty } from "../pty/pty.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { RecordingOptions } from "../recording/recording.ts";
import type { Recordings } from "../recording/recordings.ts";
import { drawnAtPromptOf, readPendingLine, resumeIntegration } from "../shell/integration.ts";
import { readStatus } from "./ended-terminal.ts";
import { lostFact } from "./lifecycle-facts.ts";
import { type AdoptionState, parseAdoptionState } from "./adoption-state.ts";
import type { PriorRun, TerminalDeps } from "./terminal-init.ts";
import { Terminal } from "./terminal.ts";
import { settleWithin } from "../base/settle-within.ts";

/** Startup does not wait longer for sealing; the rest is sealed meanwhile, or the next time. */
const MAX_SEAL_MS = 1000;

interface SealLostOptions {
  readonly lostReason: LostReason;
  /** Terminals that still run. */
  readonly except: ReadonlySet<TerminalId>;
  readonly report: (error: unknown) => void;
}

/**
 * Records for every terminal that no longer runs that nobody saw it end, and seals its recording; returns how many were
 * lost.
 */
export async function sealLost(
  recordings: Recordings,
  { lostReason, except, report }: SealLostOptions,
): Promise<number> {
  // With a failing disk this would block, and nobody could read what there is.
  if (recordings.state.state !== "ok") return 0;
  let lost = 0;
  const seal = async (id: TerminalId): Promise<void> => {
    if (await sealOne(id, recordings, lostReason)) lost++;
  };
  const ids = (await recordings.listUnsealed()).filter((id) => !except.has(id));
  await settleWithin(Promise.all(ids.map((id) => seal(id).catch(report))), MAX_SEAL_MS);
  return lost;
}

async function sealOne(
  id: TerminalId,
  recordings: Recordings,
  lostReason: LostReason,
): Promise<boolean> {
  const newest = { terminalId: id, before: Number.MAX_SAFE_INTEGER, limit: 1, maxBytes: 1 };
  const [last] = await recordings.readEntries(newest);
  // Its program was never started, or nobody was told of it.
  if (!last) return false;
  const recording = await recordings.resume(id);
  // What only waited to be recorded, such as a gap, may stand behind the end.
  const [exit] = await recordings.readEntries({ ...newest, types: ["exit"] });
  const isLost = exit === undefined;
  if (isLost) await recording.append(lostFact(lostReason));
  await recording.seal();
  return isLost;
}

type EntryQuery = Parameters<Recordings["readEntries"]>[0];

const END_OF_RECORDING = Number.MAX_SAFE_INTEGER;

/** A shell's marker is at most this many entries away from the command that it is about. */
const MARKER_DISTANCE_ENTRIES = 20;

/** A line that was typed in more pieces than this is known by its end alone. */
const NEAR_INPUTS = 1000;

/** Stands for a secret: a key that is no text. */
const WITHHELD = Uint8Array.of(0);

/** So much output is read at once to count what of it is recorded. */
const COUNT_PAGE_ENTRIES = 1000;

/** So many gaps are read at once. */
const GAP_PAGE_ENTRIES = 1000;

/** A recording opens with the header and the first claim. */
const FIRST_ENTRIES = 2;

/** The newest marker nonces of a shell are within this much output. */
const TAIL_BYTES = 1024 * 1024;

/** A Pty that outlived its host, and the driver that has it. */
export interface OrphanPty {
  readonly driver: PtyDriver;
  readonly running: RunningPty;
}

/** Continues a terminal of another host after the last recorded byte; undefined when there is nothing to continue. */
export async function adoptTerminal(
  { driver, running }: OrphanPty,
  deps: TerminalDeps,
): Promise<Terminal | undefined> {
  const { recordings } = deps;
  const memo = parseAdoptionState(running.memo);
  const row = memo && (await recordings.readTerminal(memo.terminalId));
  if (!memo || !row) return undefined;
  const { lastSequence } = await recordings.readExtent(row.id);
  // Whoever asked for a command by itself asks again under its id, and it must not run twice.
  const isAskedAgain = lastSequence === 0 && memo.endAt !== undefined && running.firstOffset === 0;
  if (isAskedAgain) return await adoptUnrecorded({ memo, row, driver, running }, deps);
  // A host ended while it created the terminal, so that nobody was told of it: it is there completely, or not at all.
  if (lastSequence < FIRST_ENTRIES) {
    await recordings.delete(row.id).catch(ignoreBlocked);
    return undefined;
  }
  const status = await readStatus(row.id, recordings);
  if (status.exit || status.lostReason) return undefined;
  const recording = await recordings.resume(row.id, recordingOptionsOf(memo, deps.strict));
  const past = new RecordedHistory(row.id, recordings);
  const { firstOffset } = running;
  const recordedBytes = await past.countOutputBytes();
  const lostBytes = Math.max(0, firstOffset - recordedBytes);
  const again =
    memo.mode === "pipe" ? await past.countStreamBytes(firstOffset, recordedBytes) : undefined;
  const { near, newest } = memo.integration
    ? await past.readRecentOutput()
    : { near: "", newest: "" };
  const integration = memo.integration && resumeIntegration(memo.integration, near + newest);
  const known = await past.read();
  const earlier: PriorRun = {
    ...known,
    title: status.title,
    outputBytes: recordedBytes + lostBytes,
    lostBytes,
    again,
    resumed: integration && {
      ...toRunningCommand(known.command),
      ...(status.cwd === undefined ? {} : { cwd: status.cwd }),
      reported:
        lostBytes === 0 && (await past.endsInOutput())
          ? readPendingLine(newest, integration)
          : undefined,
      // Otherwise what is typed is not recorded, or only once its line has ended.
      typed: (memo.inputRecording ?? "full") === "full" ? await past.typed() : undefined,
    },
    drawnAtPrompt:
      integration && lostBytes === 0 ? bytesOf(drawnAtPromptOf(newest, integration)) : undefined,
  };
  const pty = await driver.adopt(running.id, again ? firstOffset : earlier.outputBytes);
  const { size } = running;
  const { claim, cwdFallback } = status;
  const parts = { row, pty, size, recording, integration, cwdFallback, earlier };
  const terminal = new Terminal(
    { ...parts, claim: { state: claim, reason: "created" }, options: memo },
    deps,
  );
  // The driver is not connected yet, and gets the grace time of any lost connection.
  if (claim.claim.kind === "client") terminal.claims.clientGone(claim.claim.clientId);
  return terminal;
}

interface UnrecordedTerminal extends OrphanPty {
  readonly memo: AdoptionState;
  readonly row: TerminalStorage;
}

/** Goes on with a terminal of which nothing is recorded but its row, as if it was created now. */
async function adoptUnrecorded(
  { memo, row, driver, running }: UnrecordedTerminal,
  deps: TerminalDeps,
): Promise<Terminal> {
  const recording = await deps.recordings.resume(row.id, recordingOptionsOf(memo, deps.strict));
  const pty = await driver.adopt(running.id, 0);
  const { size } = running;
  const claim = firstClaim(memo.claim ?? HOST_CLAIM, Date.now());
  const terminal = new Terminal({ row, pty, size, recording, claim, options: memo }, deps);
  // On a full disk the header waits for room, and the host starts without it.
  await settleWithin(terminal.opened, MAX_SEAL_MS);
  return terminal;
}

const recordingOptionsOf = (memo: AdoptionState, usual: boolean | undefined): RecordingOptions => {
  const { strict = usual, inputRecording } = memo;
  return {
    ...(strict === undefined ? {} : { strict }),
    ...(inputRecording === undefined ? {} : { inputRecording }),
  };
};

/** On a full disk its row may have to stay; its program is ended all the same. */
function ignoreBlocked(error: unknown): void {
  if (!(error instanceof NacreError && error.code === "recording_blocked")) throw error;
}

/** What a recording tells of a terminal beside its status. */
class RecordedHistory {
  readonly #terminalId: TerminalId;
  readonly #recordings: Recordings;

  constructor(terminalId: TerminalId, recordings: Recordings) {
    this.#terminalId = terminalId;
    this.#recordings = recordings;
  }

  async read(): Promise<Pick<PriorRun, "lastSequence" | "firstClaim" | "command">> {
    const { lastSequence } = await this.#recordings.readExtent(this.#terminalId);
    const [claim] = await this.#find({ types: ["claim"], limit: 1 });
    const [command] = await this.#find({
      types: ["command", "commandEnd"],
      limit: 1,
      before: END_OF_RECORDING,
    });
    return {
      lastSequence,
      firstClaim: claim?.type === "claim" ? claim.claim : HOST_CLAIM,
      command: command?.type === "command" ? command : undefined,
    };
  }

  /** Whether nothing is known of what came behind the newest output. */
  async endsInOutput(): Promise<boolean> {
    const types = ["output", "gap", "command", "commandEnd"] as const;
    const [newest] = await this.#find({ types: [...types], limit: 1, before: END_OF_RECORDING });
    return newest?.type === "output";
  }

  /** What callers typed since the last command began. */
  async typed(): Promise<ResumedCommands["typed"]> {
    const [command] = await this.#find({ types: ["command"], limit: 1, before: END_OF_RECORDING });
    const inputs = await this.#find({
      types: ["input"],
      limit: NEAR_INPUTS,
      before: END_OF_RECORDING,
    });
    return inputs.flatMap((entry) => {
      const isSince = entry.sequence > (command?.sequence ?? 0);
      // What the terminal itself answers to programs has no caller.
      return entry.type === "input" && entry.by && isSince ? [entry.data ?? WITHHELD] : [];
    });
  }

  /** How much of the output is recorded, or counted as a gap: what followed from that is recorded as well. */
  async countOutputBytes(): Promise<number> {
    const [newest] = await this.#find({ types: ["output"], limit: 1, before: END_OF_RECORDING });
    const output = newest?.type === "output" ? newest : undefined;
    let end = output ? output.offset + (output.data?.byteLength ?? 0) : 0;
    for (let after = output?.sequence ?? 0; ;) {
      const gaps = await this.#find({ types: ["gap"], limit: GAP_PAGE_ENTRIES, after });
      for (const gap of gaps) if (gap.type === "gap") end += gap.lostBytes ?? 0;
      const last = gaps.at(-1);
      if (!last) return end;
      after = last.sequence;
    }
  }

  /**
   * How much of each text is recorded from an offset on at which both are whole. Behind it, where one was held back, a byte
   * is not recorded at the offset that it has where it is kept. Undefined where a gap does not tell of which text it is.
   */
  async countStreamBytes(offset: number, recordedBytes: number): Promise<PriorRun["again"]> {
    const texts = { stdout: 0, stderr: 0 };
    if (recordedBytes <= offset) return texts;
    for (let before = END_OF_RECORDING; ;) {
      const page = await this.#find({
        types: ["output", "gap"],
        limit: COUNT_PAGE_ENTRIES,
        before,
      });
      for (const entry of page.toReversed()) {
        if (entry.type !== "output") return undefined;
        const end = entry.offset + (entry.data?.byteLength ?? 0);
        texts[entry.stream ?? "stdout"] += Math.max(0, end - Math.max(entry.offset, offset));
        if (entry.offset <= offset) return texts;
      }
      const [oldest] = page;
      if (!oldest) return texts;
      before = oldest.sequence;
    }
  }

  /**
   * The newest output, and that around the newest command, a character for each byte. Without the latter a program could
   * bury the newest code under a flood, and have an older one taken for it.
   */
  async readRecentOutput(): Promise<{ readonly near: string; readonly newest: string }> {
    const [command] = await this.#find({
      types: ["command", "commandEnd"],
      limit: 1,
      before: END_OF_RECORDING,
    });
    const near = command ? await this.#outputNear(command.sequence) : [];
    const newest = await this.#find({ types: ["output"], limit: 1000, before: END_OF_RECORDING });
    return { near: concatLatin1(near), newest: concatLatin1(newest) };
  }

  #outputNear(sequence: number): Promise<RecordedEntry[]> {
    return this.#find({
      types: ["output"],
      limit: MARKER_DISTANCE_ENTRIES,
      after: Math.max(0, sequence - MARKER_DISTANCE_ENTRIES),
    });
  }

  #find(query: Omit<EntryQuery, "terminalId" | "maxBytes">): Promise<RecordedEntry[]> {
    const terminalId = this.#terminalId;
    return this.#recordings.readEntries({ terminalId, maxBytes: TAIL_BYTES, ...query });
  }
}

/** The command that another host saw begin, as its tracker knew it. */
function toRunningCommand(entry: PriorRun["command"]): Pick<ResumedCommands, "command"> {
  if (!entry) return {};
  const { commandId, commandLine, quality, cwd } = entry;
  // The clock of a process begins with it; what is before has a time below zero.
  const startedAtMs = performance.now() - (Date.now() - Date.parse(entry.occurredAt));
  const known = { commandId, commandLine, quality, startedAtMs, isExpected: false };
  return { command: cwd === undefined ? known : { ...known, cwd } };
}

const bytesOf = (latin1: string | undefined): Uint8Array | undefined =>
  latin1 === undefined ? undefined : Buffer.from(latin1, "latin1");

function concatLatin1(outputs: readonly RecordedEntry[]): string {
  const parts = outputs.map((entry) => ("data" in entry ? entry.data : undefined));
  return Buffer.concat(parts.filter((part) => part !== undefined)).toString("latin1");
}
