// What must be in a store after its victim was killed: all that was acknowledged, and beyond that at most what was about to be done.
import { KnownAudit } from "./known-audit.ts";
import type { Said } from "./said.ts";

/** What is known of one terminal. */
export interface KnownTerminal {
  /** It may be there, it must be there, it may be gone, it must be gone. */
  presence: "coming" | "there" | "going" | "gone";
  /** Entries up to here must be there. */
  through: number;
  /** Entries up to here may be there. */
  offered: number;
  /** Its beginning may have been removed up to one of these; up to the first of them it must be. */
  trims: number[];
  seal: "none" | "coming" | "there";
}

/** What a check finds in a store about one terminal. */
export interface SeenTerminal {
  readonly uid: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly sealSequence: number | undefined;
}

/** Follows what victims say about a store, and tells whether what is seen in it fits. */
export class KnownStore {
  readonly #terminals = new Map<string, KnownTerminal>();
  /** Deleted and scrubbed: no byte of them may be in the files. */
  readonly #scrubbed = new Set<string>();
  readonly #audit = new KnownAudit();
  readonly #isGrouped: boolean;
  /** The group that was offered last, until it is acknowledged: it is there as a whole or not at all. */
  #openGroup: Readonly<Record<string, number>> | undefined;
  recorded = 0;

  /** In a grouped store everything that is offered at once is one group, and a beginning is removed at once; otherwise step by step. */
  constructor({ grouped }: { readonly grouped: boolean }) {
    this.#isGrouped = grouped;
  }

  /** The names of the terminals of which no byte may be in the files. */
  get scrubbed(): readonly string[] {
    return [...this.#scrubbed];
  }

  /** Whether anything must be in the store. */
  get isEmpty(): boolean {
    const isWithout = [...this.#terminals.values()].every(({ presence }) => presence !== "there");
    return isWithout && this.#audit.isEmpty;
  }

  /** Takes note of what a victim said. */
  hear(said: Said): void {
    switch (said.say) {
      case "offer":
        if (this.#isGrouped) this.#openGroup = said.through;
        for (const [uid, sequence] of Object.entries(said.through)) {
          const terminal = this.#known(uid);
          terminal.offered = Math.max(terminal.offered, sequence);
        }
        return;
      case "recorded":
        this.#openGroup = undefined;
        for (const [uid, sequence] of Object.entries(said.through)) {
          const terminal = this.#known(uid);
          this.recorded += Math.max(0, sequence - terminal.through);
          terminal.through = Math.max(terminal.through, sequence);
        }
        return;
      case "offerAudit":
      case "audited":
        this.#audit.hear(said);
        return;
      case "will":
      case "did":
        this.#hearDeed(said);
        return;
      case "waiting":
      case "opened":
      case "ready":
      case "closed":
      case "found":
      case "verified":
        return; // Nothing follows from it for the store.
    }
  }

  /** Says what does not fit; nothing when all does, and then what was seen is what must be there from now on. */
  compare(seen: readonly SeenTerminal[], auditCount: number): string | undefined {
    const byUid = new Map(seen.map((terminal) => [terminal.uid, terminal]));
    for (const [uid, known] of this.#terminals) {
      const found = { seen: byUid.get(uid), isGrouped: this.#isGrouped };
      const problem = problemWith(uid, known, found);
      if (problem !== undefined) return problem;
    }
    const stranger = seen.find(({ uid }) => !this.#terminals.has(uid));
    if (stranger) return `${stranger.uid} is there and was never created`;
    const torn = this.#tornGroup(byUid);
    if (torn !== undefined) return torn;
    const auditProblem = this.#audit.compare(auditCount);
    if (auditProblem !== undefined) return auditProblem;
    this.#settle(byUid);
    return undefined;
  }

  /** A lasting terminal with output that must be there, and where that begins and ends. */
  aliveTerminals(): { uid: string; firstSequence: number; through: number }[] {
    return [...this.#terminals].flatMap(([uid, { presence, trims, through }]) =>
      presence === "there" ? [{ uid, firstSequence: (trims.at(-1) ?? 0) + 1, through }] : [],
    );
  }

  #hearDeed({ say, deed, uid, sequence }: Extract<Said, { say: "will" | "did" }>): void {
    const isDone = say === "did";
    switch (deed) {
      case "create":
        this.#scrubbed.delete(uid);
        this.#terminals.set(uid, {
          presence: isDone ? "there" : "coming",
          through: 0,
          offered: 0,
          trims: [0],
          seal: "none",
        });
        return;
      case "seal":
        this.#known(uid).seal = isDone ? "there" : "coming";
        return;
      case "trim": {
        const terminal = this.#known(uid);
        terminal.trims = isDone ? [sequence] : [...terminal.trims, sequence];
        return;
      }
      case "delete":
        this.#known(uid).presence = isDone ? "gone" : "going";
        return;
      case "scrub":
        if (!isDone) return;
        for (const [gone, { presence }] of this.#terminals) {
          if (presence === "gone") this.#scrubbed.add(gone);
        }
    }
  }

  #known(uid: string): KnownTerminal {
    const terminal = this.#terminals.get(uid);
    if (!terminal) throw new Error(`${uid} was never created`);
    return terminal;
  }

  #tornGroup(byUid: ReadonlyMap<string, SeenTerminal>): string | undefined {
    const group = Object.entries(this.#openGroup ?? {});
    const there = group.filter(
      ([uid, sequence]) => (byUid.get(uid)?.lastSequence ?? 0) >= sequence,
    );
    const begun = group.filter(
      ([uid]) => (byUid.get(uid)?.lastSequence ?? 0) > (this.#terminals.get(uid)?.through ?? 0),
    );
    if (there.length === group.length || begun.length === 0) return undefined;
    return `a group is there in parts: ${JSON.stringify(this.#openGroup)}`;
  }

  #settle(byUid: ReadonlyMap<string, SeenTerminal>): void {
    this.#openGroup = undefined;
    for (const [uid, known] of this.#terminals) {
      const seen = byUid.get(uid);
      if (!seen) {
        known.presence = "gone";
        continue;
      }
      known.presence = "there";
      known.through = seen.lastSequence;
      known.offered = seen.lastSequence;
      known.trims = [seen.firstSequence - 1];
      known.seal = seen.sealSequence === undefined ? "none" : "there";
    }
  }
}

function problemWith(
  uid: string,
  { presence, through, offered, trims, seal }: KnownTerminal,
  { seen, isGrouped }: { readonly seen: SeenTerminal | undefined; readonly isGrouped: boolean },
): string | undefined {
  if (!seen) return presence === "there" ? `${uid} is lost with all of its entries` : undefined;
  if (presence === "gone") return `${uid} is there although it was deleted`;
  const { firstSequence, lastSequence, sealSequence } = seen;
  if (lastSequence < through)
    return `entries after ${lastSequence} of ${uid} are lost, up to ${through}`;
  if (lastSequence > offered)
    return `entry ${lastSequence} of ${uid} was never recorded, only ${offered}`;
  const isBetween = firstSequence > Math.min(...trims) && firstSequence <= Math.max(...trims) + 1;
  if (isGrouped ? !trims.includes(firstSequence - 1) : !isBetween) {
    return `${uid} begins with ${firstSequence}; only entries up to ${trims.join(" or ")} were removed`;
  }
  if (seal === "there" && sealSequence === undefined) return `the seal of ${uid} is lost`;
  if (seal === "none" && sealSequence !== undefined) return `${uid} was never sealed`;
  if (sealSequence !== undefined && sealSequence !== lastSequence) {
    return `${uid} is sealed at ${sealSequence} and ends with ${lastSequence}`;
  }
  return undefined;
}
