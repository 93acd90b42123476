// What a victim does: together they pass through everything that changes the files of a store.

/** What a scenario can do; each is committed and acknowledged before the next begins. */
export interface Victim {
  readonly random: () => number;
  /** From now on its system calls are watched; before, everything goes faster. */
  watch(): void;
  open(): void;
  close(): void;
  /** The terminals that are not sealed. */
  openTerminals(): readonly string[];
  endOf(uid: string): number;
  /** How many pages the log has, and how many of them are folded into the store already. */
  readLog(): { readonly pages: number; readonly folded: number };
  create(uid: string): void;
  /** Records so many more entries of each of these terminals, as one group. */
  record(counts: Readonly<Record<string, number>>): void;
  /** Adds so many records to the audit, as one group. */
  audit(count: number): void;
  seal(uid: string): void;
  trim(uid: string, throughSequence: number): void;
  delete(uid: string): void;
  /** Folds the log into the store by a connection of its own, as the thread does that is there for it. */
  fold(): void;
  scrub(): void;
}

/** The terminals that live as long as their store. */
const LASTING = ["a", "b", "c"];

/** A store is small enough to be checked as a whole after every kill. */
const MAX_KEPT_ENTRIES = 100;

const upTo = (victim: Victim, max: number): number => 1 + Math.floor(victim.random() * max);

const newUid = (victim: Victim, letter: string): string =>
  `${letter}${Math.floor(victim.random() * 2 ** 32).toString(36)}`;

function makeTerminals(victim: Victim): void {
  for (const uid of LASTING) if (!victim.openTerminals().includes(uid)) victim.create(uid);
}

function recordSome(victim: Victim, groups: number): void {
  for (let group = 0; group < groups; group++) {
    const used = LASTING.filter(() => victim.random() < 0.6);
    const counts = used.map((uid) => [uid, upTo(victim, 12)] as const);
    victim.record(Object.fromEntries(counts.length > 0 ? counts : [["a", 1]]));
    victim.audit(upTo(victim, 3));
  }
}

/** Removes what earlier runs left, some of it in the middle of its own removal. */
function tidy(victim: Victim): void {
  for (const uid of victim.openTerminals()) {
    if (!LASTING.includes(uid)) victim.delete(uid);
    else if (victim.endOf(uid) > MAX_KEPT_ENTRIES) victim.trim(uid, victim.endOf(uid) - 10);
  }
}

/** Opens a store, which makes it when it is not there, and closes it. */
function open(victim: Victim): void {
  victim.watch();
  victim.open();
  victim.close();
}

/** Many small groups. */
function append(victim: Victim): void {
  victim.watch();
  victim.open();
  makeTerminals(victim);
  recordSome(victim, 10);
  victim.close();
}

/** Recorders have a log folded when it has about so many pages. */
const LOG_PAGES = 512;

/** So much that the log is folded into the store on the way, and the rest of it a moment later, after which it begins anew. */
function checkpoint(victim: Victim): void {
  victim.open();
  makeTerminals(victim);
  while (victim.readLog().pages < LOG_PAGES) {
    victim.record({ a: 30, b: 20, c: 50 });
    tidy(victim);
  }
  victim.watch();
  victim.record({ a: 4, b: 4 });
  victim.fold();
  const { pages, folded } = victim.readLog();
  if (folded < pages) throw new Error(`${folded} of ${pages} pages are folded into the store`);
  recordSome(victim, 2);
  victim.fold();
  recordSome(victim, 3);
  victim.close();
}

/** Closes and goes on, twice. */
function reopen(victim: Victim): void {
  victim.watch();
  for (let round = 0; round < 2; round++) {
    victim.open();
    makeTerminals(victim);
    recordSome(victim, 2);
    victim.close();
  }
}

/** Terminals that end, lose their beginning, and are removed. */
function remove(victim: Victim): void {
  victim.watch();
  victim.open();
  makeTerminals(victim);
  tidy(victim);
  const uid = newUid(victim, "r");
  victim.create(uid);
  victim.record({ [uid]: 10, a: 2 });
  victim.trim(uid, 4);
  victim.record({ [uid]: 5 });
  victim.seal(uid);
  victim.trim(uid, 9);
  victim.delete(uid);
  const sealed = newUid(victim, "s");
  victim.create(sealed);
  victim.record({ [sealed]: upTo(victim, 8), b: 3 });
  victim.seal(sealed);
  victim.close();
}

/** A terminal of which nothing shall be left in the files, while others go on. */
function purge(victim: Victim): void {
  victim.watch();
  victim.open();
  makeTerminals(victim);
  const uid = newUid(victim, "p");
  victim.create(uid);
  victim.record({ [uid]: 12, c: 3 });
  victim.delete(uid);
  victim.scrub();
  victim.record({ a: 3, b: 1 });
  victim.close();
}

/** All of them. */
export const SCENARIOS = { open, append, checkpoint, reopen, remove, purge } as const;

/** The name of one. */
export type Scenario = keyof typeof SCENARIOS;

/** Tells whether there is a scenario of this name. */
export const isScenario = (name: string): name is Scenario => name in SCENARIOS;
