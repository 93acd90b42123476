// What must be true when everything has come to rest.
import type { Size } from "@nacre/contracts";
import {
  decodeEntry,
  type RecordedEntry,
} from "../../packages/host/src/recording/recorded-entry.ts";
import { verifyRecording } from "../../packages/host/src/recording/verify.ts";
import { EscapeSequenceScanner } from "../../packages/host/src/shell/escape-sequence-scanner.ts";
import { stripMarkers } from "../../packages/host/src/shell/strip-markers.ts";
import { EntryViews } from "../../packages/host/src/terminal/appender.ts";
import { toScreenChange } from "../../packages/host/src/terminal/screen-history.ts";
import { drawChange, type DrawnText } from "./fake-drawings.ts";
import type { ModelTerminal } from "./model-terminal.ts";
import type { World } from "./world.ts";

const NO_SIZE: Size = { cols: 1, rows: 1 };

/** How long a host may take to end. */
const CLOSING_MS = 30_000;

/** How long an answer may take when nothing goes wrong. */
const ANSWER_MS = 2000;

/** Compares the end of a run with the reference. */
export function checkEnd(world: World): void {
  const { machine, checks, model } = world;
  const problems = (): string => machine.problems.slice(-3).join("; ");
  checks.always("the daemon serves again", machine.host !== undefined, problems);
  if (!machine.host) return;
  const known = [...model.terminals.values()];
  for (const terminal of known) checkTerminal(world, terminal);
  for (const terminal of known) checkRecording(world, terminal);
  for (const [key, { least, most, kept }] of model.audited) {
    const counts = (): string => `${key}: ${kept} records of ${least} to ${most}`;
    checks.always("I13 each change has its record", kept >= least, counts);
    checks.always("I13 no change has two records", kept <= most, counts);
  }
  if (!world.isOver()) checkClosing(world);
}

function checkTerminal({ machine, checks }: World, terminal: ModelTerminal): void {
  const { program, id, number, isPurging } = terminal;
  const name = (): string => `terminal ${number}`;
  if (isPurging || !program || terminal.lastSequence === 0) return;
  const isKept = machine.programs.get(id) === program;
  checks.sometimes("gapRecorded", terminal.hasGap);
  checks.sometimes("lostTerminal", !isKept);
  if (!isKept) return;
  const { end, written, isStuck } = program;
  if (terminal.isDeleted) {
    // Its creation was refused when some of it was recorded already.
    return checks.always("I12 a refused terminal leaves no program", end !== undefined, name);
  }
  if (end) {
    return checks.always("I3 an exit is recorded", terminal.hasExit, name);
  }
  const live = machine.host?.registry.find(id);
  checks.always("I12 a program has its terminal", live?.isRunning === true, name);
  const isWhole = terminal.hasUncountedGap || terminal.nextOffset >= written.length;
  const part = (): string => `${name()}: ${terminal.nextOffset} of ${written.length}`;
  checks.always("I3 everything is recorded", isWhole, part);
  for (const tag of isStuck ? [] : terminal.accepted) {
    const hasArrived = terminal.delivered.has(tag);
    checks.always("I7 input that was accepted arrives", hasArrived, () => tag);
  }
}

/** Everybody sees what the recording says, and it says what the program wrote. */
function checkRecording(world: World, terminal: ModelTerminal): void {
  const { checks, machine, everyone } = world;
  const { id, number, isPurging } = terminal;
  const { image } = machine;
  if (isPurging || !image.hasTerminal(id)) return;
  const verdict = [...verifyRecording(image, id)].at(-1);
  const isProven = verdict !== undefined && "ok" in verdict && verdict.ok;
  checks.always("I4 the chain is whole", isProven, () => `${number}: ${JSON.stringify(verdict)}`);
  const entries = image.readEntries({ terminalId: id, limit: 1e6, maxBytes: 1e9 }).map(decodeEntry);
  const drawn = replay(entries);
  for (const client of everyone) {
    const view = client.views.get(id);
    // Whoever closes a terminal while nothing can be recorded also ends its feeds.
    const isLeft = terminal.isClosed && view?.isOver === true;
    if (!view || view.position === 0 || isLeft || !client.isConnected) continue;
    const name = (): string => `client ${client.number}, terminal ${number}`;
    const place = (): string => `${name()}: ${view.position} of ${terminal.lastSequence}`;
    // Where a recorder died, gaps may be all that came while nobody could be told.
    const isWhole =
      terminal.hasLostRecorder ||
      view.position === terminal.lastSequence ||
      // A loss may be written down when the disk has room again, long after somebody looked.
      (terminal.isLost && view.position === terminal.lastSequence - 1);
    checks.always("I5 a viewer has everything", isWhole, place);
    // Of a marker that its program did not end, the host draws the text; who draws the output elsewhere gets none of it.
    const isSeen = view.text === drawn.text || view.text === replay(entries, "view").text;
    checks.always("I5 a viewer sees what is recorded", isSeen, name);
  }
  const live = machine.host?.registry.find(id);
  if (live?.isRunning) checkScreen(world, terminal, drawn);
  checkCommands(world, terminal, entries);
  checkCuts(world, terminal, entries);
}

/** What a recording draws, from its first entry to its last. */
function replay(entries: readonly RecordedEntry[], as: "drawn" | "view" = "drawn"): DrawnText {
  const drawn = { text: "", size: NO_SIZE, sequence: 0 };
  const views = new EntryViews();
  for (const entry of entries) {
    const change = toScreenChange(entry, views.of(entry)[as]);
    if (change) drawChange(drawn, change);
  }
  return drawn;
}

function checkScreen(world: World, { id, number }: ModelTerminal, drawn: DrawnText): void {
  const { checks, clients } = world;
  let isSame: boolean | undefined;
  clients[0]?.call("readScreen", { id }, (outcome) => {
    isSame = "value" in outcome && outcome.value.text === drawn.text;
  });
  world.pass(ANSWER_MS);
  checks.always("I5 the screen is what is recorded", isSame === true, () => `terminal ${number}`);
}

/** Commands are those that the shell ran, in their order; one may be missing where a daemon was killed between two commits. */
function checkCommands(
  { checks }: World,
  terminal: ModelTerminal,
  entries: readonly RecordedEntry[],
): void {
  const ran = terminal.program?.commands ?? [];
  let place = 0;
  for (const entry of entries) {
    if (entry.type === "command") {
      const found = ran.findIndex(
        ({ line }, index) => index >= place && line === entry.commandLine,
      );
      const isKnown = found >= 0 || entry.quality !== "exact";
      checks.always("commands are those of the shell", isKnown, () => JSON.stringify(entry));
      checks.sometimes("commandRecorded", found >= 0);
      if (found >= 0) place = found + 1;
    }
    if (entry.type !== "commandEnd" || entry.exitCode === undefined) continue;
    const isSame = ran[place - 1]?.exitCode === entry.exitCode;
    checks.always("a command ends with its own code", isSame, () => JSON.stringify(entry));
  }
}

/** However the bytes were cut, views of them are the same as of all at once. */
function checkCuts(
  { checks }: World,
  terminal: ModelTerminal,
  entries: readonly RecordedEntry[],
): void {
  const outputs = entries.filter((entry) => entry.type === "output");
  if (terminal.hasGap) return;
  const parts = outputs.map(({ data }) => data ?? new Uint8Array());
  // What was begun and not ended in time stands alone, and is understood in another way than with what follows.
  if (parts.some(isGivenUp)) return;
  const whole = new Uint8Array(Buffer.concat(parts));
  const views = new EntryViews();
  const seen = Buffer.concat(outputs.map((entry) => views.of(entry).view ?? new Uint8Array()));
  const isSame = Buffer.compare(seen, stripMarkers(whole)) === 0;
  checks.always("I14 cuts change nothing", isSame, () => `terminal ${terminal.number}`);
}

function isGivenUp(bytes: Uint8Array<ArrayBuffer>): boolean {
  const scanner = new EscapeSequenceScanner(bytes);
  while (scanner.next());
  return scanner.tail === 0;
}

/** A daemon that is told to end leaves nothing. */
function checkClosing(world: World): void {
  const { machine, checks, scheduler } = world;
  const { daemon } = machine;
  if (!daemon?.host) return;
  const { host } = daemon;
  let isClosed = false;
  scheduler.enter(daemon.process, () => {
    host[Symbol.asyncDispose]().then(
      () => (isClosed = true),
      (error: unknown) => checks.always("a host ends without a fault", false, () => String(error)),
    );
  });
  world.pass(CLOSING_MS);
  checks.always("I12 a host ends", isClosed, () => "it did not");
  const kept = machine.keptPrograms;
  checks.always("I12 no program is left", kept === 0, () => `${kept} are`);
}
