// THE REFERENCE: what each terminal must be, kept as simply as possible and compared with every commit and every message.
import type { NewAuditRecord, TerminalId, TerminalStorage } from "@nacre/contracts";
import type { MemoryStore } from "../../packages/host/src/store/memory-store.ts";
import type { EntryRow } from "../../packages/host/src/store/store.ts";
import type { Checks } from "./checks.ts";
import type { DiskListener } from "./fake-disk.ts";
import { ModelTerminal, TAG } from "./model-terminal.ts";

/** Begins every secret that is typed; nothing that is kept or shown may have it. */
export const CANARY = "SECRET";

/** A line that a client types. */
export const tagOf = (terminal: number, client: number, count: number, epoch: number): string =>
  `i${terminal}.${client}.${count}.e${epoch}`;

/** All terminals of a run, and what was written down of them. */
export class Model implements DiskListener {
  readonly terminals = new Map<TerminalId, ModelTerminal>();
  /** How often something was done, by caller, deed and terminal: at least, at most, and as the audit says. */
  readonly audited = new Map<string, { least: number; most: number; kept: number }>();
  lostRecorders = 0;
  readonly #checks: Checks;
  readonly #isDurable: (id: TerminalId, sequence: number) => boolean;
  #count = 0;

  constructor(checks: Checks, isDurable: (id: TerminalId, sequence: number) => boolean) {
    this.#checks = checks;
    this.#isDurable = isDurable;
  }

  /** The terminal of an id, from when it is first heard of. */
  terminal(id: TerminalId): ModelTerminal {
    const known = this.terminals.get(id);
    if (known) return known;
    const terminal = new ModelTerminal(id, ++this.#count);
    this.terminals.set(id, terminal);
    return terminal;
  }

  deed(caller: string, action: string, id: string): { least: number; most: number; kept: number } {
    const key = `${caller} ${action} ${id}`;
    const deed = this.audited.get(key) ?? { least: 0, most: 0, kept: 0 };
    this.audited.set(key, deed);
    return deed;
  }

  /** What a recorder had that died is told as lost, but for what is strict. */
  noteLostRecorder(): void {
    this.lostRecorders++;
    for (const terminal of this.terminals.values()) terminal.hasLostRecorder ||= !terminal.isStrict;
    for (const deed of this.audited.values()) deed.least = 0;
  }

  /** With the keeper go all programs, and what nobody has recorded of them. */
  noteLostKeeper(): void {
    for (const terminal of this.terminals.values()) terminal.hasLostKeeper = true;
  }

  handleTerminal(row: TerminalStorage): void {
    this.terminal(row.id);
  }

  handleDeleted(id: TerminalId): void {
    this.terminal(id).isDeleted = true;
  }

  handleAudit({ caller, action, terminalId, outcome, facts }: NewAuditRecord): void {
    this.#requireNoSecret(JSON.stringify(facts ?? {}), `audit of ${action}`);
    if (outcome === "ok") this.deed(caller ?? "", action, terminalId ?? "").kept++;
  }

  /** An entry is committed. */
  handleEntry(row: EntryRow): void {
    const terminal = this.terminal(row.terminalId);
    const { always } = this.#bound;
    const name = (): string => `${row.type} ${row.sequence} of terminal ${terminal.number}`;
    const { sequence, elapsedMs } = row;
    always(
      "I2 no gap and no duplicate",
      sequence === terminal.lastSequence + 1,
      () => `${name()} after ${terminal.lastSequence}`,
    );
    always("I2 the header comes first", (sequence === 1) === (row.type === "header"), name);
    // What is being removed may have lost its end, or its time, before it is written again.
    always("I2 the exit comes last", !terminal.hasExit || terminal.isPurging, name);
    const isInOrder = elapsedMs >= terminal.elapsedMs || terminal.isPurging;
    always("I2 time does not go back", isInOrder, name);
    terminal.lastSequence = sequence;
    terminal.elapsedMs = elapsedMs;
    this.#note(row, terminal, name);
  }

  /** After a power cut the recordings are what they were earlier. */
  reload(image: MemoryStore): void {
    for (const terminal of this.terminals.values()) {
      terminal.forget();
      if (terminal.isDeleted) terminal.isDeleted = !image.hasTerminal(terminal.id);
      if (terminal.isPurging) {
        // What is being removed goes from its beginning on; what is left need not make sense alone.
        terminal.lastSequence = image.readExtent(terminal.id).lastSequence;
        continue;
      }
      const query = { terminalId: terminal.id, limit: 1e6, maxBytes: 1e9 };
      for (const row of image.readEntries(query)) this.handleEntry(row);
    }
    for (const deed of this.audited.values()) deed.kept = 0;
    for (const record of image.readAudit({ after: 0, limit: 1e6 })) this.handleAudit(record);
  }

  /** Somebody is shown an entry. */
  show(
    id: TerminalId,
    entry: { readonly sequence: number; readonly type: string },
    image: MemoryStore,
  ): void {
    const terminal = this.terminal(id);
    const { sequence, type } = entry;
    const [row] = image.readEntries({ terminalId: id, after: sequence - 1, limit: 1, maxBytes: 1 });
    const isThere =
      row?.sequence === sequence && row.type === type && this.#isDurable(id, sequence);
    this.#checks.always(
      "I1 nothing is shown before it is recorded",
      isThere || terminal.isPurging,
      () => `${type} ${sequence} of terminal ${terminal.number}`,
    );
    if (row && sequence > (terminal.shown?.sequence ?? 0))
      terminal.shown = { sequence, hash: row.hash };
    this.#requireNoSecret(JSON.stringify(entry), "message");
  }

  /** After a restart everything that anybody was shown is there. */
  checkShown(image: MemoryStore): void {
    for (const { id, number, shown, isPurging } of this.terminals.values()) {
      if (!shown || isPurging) continue;
      const { sequence, hash } = shown;
      const [row] = image.readEntries({
        terminalId: id,
        after: sequence - 1,
        limit: 1,
        maxBytes: 1,
      });
      const isSame = row?.sequence === sequence && Buffer.compare(row.hash, hash) === 0;
      this.#checks.always(
        "I4 what was shown survives",
        isSame,
        () => `${sequence} of terminal ${number}`,
      );
    }
  }

  /** After a power cut that took some of it, nobody can count on what is gone. */
  forgetShown(): void {
    for (const terminal of this.terminals.values()) terminal.shown = undefined;
  }

  #note(row: EntryRow, terminal: ModelTerminal, name: () => string): void {
    const { always } = this.#bound;
    const facts = readFacts(row);
    if (row.type === "output" && row.data) this.#noteOutput(row, terminal, name);
    if (row.type === "gap") {
      always("I3 a strict recording has no gap", !terminal.isStrict, name);
      terminal.hasGap = true;
      if (typeof facts["lostBytes"] === "number") terminal.nextOffset += facts["lostBytes"];
      else terminal.hasUncountedGap = true;
    }
    if (row.type === "claim") {
      const epoch = Number(facts["epoch"]);
      always(
        "I6 epochs follow each other",
        epoch === terminal.epoch + 1,
        () => `${name()}: ${epoch} after ${terminal.epoch}`,
      );
      terminal.epoch = epoch;
      this.#checks.sometimes("claimVanished", facts["reason"] === "vanished");
    }
    if (row.type === "input" && row.data) {
      for (const [tag, , , , epoch] of Buffer.from(row.data).toString("latin1").matchAll(TAG)) {
        const isNew = Number(epoch) === 0 || Number(epoch) >= terminal.epoch;
        always(
          "I6 no input of an older epoch is recorded after a newer one",
          isNew,
          () => `${tag} at epoch ${terminal.epoch}, ${name()}`,
        );
      }
    }
    if (row.type === "exit") this.#noteExit(facts, terminal, name);
    if (row.data) this.#requireNoSecret(Buffer.from(row.data).toString("latin1"), name());
    this.#requireNoSecret(row.facts ?? "", name());
  }

  #noteOutput(row: EntryRow, terminal: ModelTerminal, name: () => string): void {
    const { always } = this.#bound;
    const [data, offset, { program }] = [row.data!, row.offset ?? -1, terminal];
    // What nobody could count may still be in the keeper when another daemon goes on.
    const isNext = terminal.hasUncountedGap
      ? offset >= terminal.recordedOffset
      : offset === terminal.nextOffset;
    always(
      "I3 output goes on where it ended",
      isNext,
      () => `${name()} at ${offset}, not ${terminal.nextOffset}`,
    );
    always(
      "I3 output is what the program wrote",
      program?.written.has(data, offset) === true,
      () => `${name()} at ${offset}`,
    );
    terminal.nextOffset = terminal.recordedOffset = offset + data.byteLength;
    terminal.hasUncountedGap = false;
  }

  /** Nobody saw its end: it went with the keeper, or what knew of it was gone before it was recorded. */
  #noteLoss(terminal: ModelTerminal, name: () => string): void {
    this.#bound.always("I3 only what is lost is called so", terminal.hasLostKeeper, name);
    terminal.hasExit = terminal.isLost = true;
  }

  #noteExit(facts: Facts, terminal: ModelTerminal, name: () => string): void {
    const { always } = this.#bound;
    const end = terminal.program?.end;
    if (facts["lostReason"] !== undefined) return this.#noteLoss(terminal, name);
    const isSame =
      (facts["exitCode"] ?? undefined) === end?.exitCode && facts["signal"] === end?.signal;
    always(
      "I3 the exit is that of the program",
      isSame,
      () => `${name()}: ${JSON.stringify(facts)} is not ${JSON.stringify(end)}`,
    );
    const isWhole = terminal.hasUncountedGap || terminal.nextOffset >= (end?.outputBytes ?? 0);
    always(
      "I3 everything before the exit is recorded",
      isWhole,
      () => `${name()}: ${terminal.nextOffset} of ${end?.outputBytes}`,
    );
    terminal.hasExit = true;
  }

  #requireNoSecret(text: string, where: string): void {
    this.#checks.always("I9 a secret is nowhere", !text.includes(CANARY), () => where);
  }

  get #bound(): Pick<Checks, "always"> {
    return { always: (id, isTrue, detail) => this.#checks.always(id, isTrue, detail) };
  }
}

type Facts = Readonly<Record<string, unknown>>;

function readFacts({ facts }: EntryRow): Facts {
  const read: unknown = facts === null ? {} : JSON.parse(facts);
  return typeof read === "object" && read !== null ? { ...read } : {};
}
