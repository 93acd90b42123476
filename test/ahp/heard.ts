import assert from "node:assert/strict";
import { ROOT } from "../support/ahp-client.ts";
import {
  type ListedTerminal,
  printOf,
  type Told,
  type ToldSnapshot,
  textOf,
} from "../support/ahp-messages.ts";

/** Longer than a numbered line. */
const TAIL_LENGTH = 64;

/** What is looked at of a snapshot; the beginning of a long one is a drawn screen, where lines are not written one by one. */
const SNAPSHOT_TAIL_LENGTH = 50_000;

/** What a client heard of one channel, since one snapshot of it. */
interface Section {
  readonly fromSeq: number;
  /** The number of the last line in the snapshot. */
  readonly lines: number;
  readonly actions: HeardAction[];
  /** Whether everything was told anew, to this client alone. */
  isRetold: boolean;
}

interface HeardAction {
  readonly serverSeq: number;
  readonly print: number;
  /** The number of the last line after this action. */
  readonly lines: number;
}

const isExited = ({ exitCode, lifecycle }: ListedTerminal): boolean =>
  exitCode !== undefined || lifecycle?.status === "exited";

/** The action that would have told last what a snapshot says of the end; nothing where a terminal runs. */
function endIn({ state }: ToldSnapshot): Told["action"] | undefined {
  const { terminals, exitCode = state.lifecycle?.exitCode } = state;
  if (terminals) return { type: "root/terminalsChanged", terminals };
  return isExited(state) ? { type: "terminal/exited", exitCode } : undefined;
}

/** Everything that one client heard of one channel whose output is numbered lines. */
export class Heard {
  readonly channel: string;
  readonly #sections: Section[] = [];
  #tail = "";
  #lines = 0;
  #last: Told["action"] | undefined;

  constructor(channel: string) {
    this.channel = channel;
  }

  /** The last number on this channel, or of its snapshot. */
  get lastSeq(): number {
    const section = this.#sections.at(-1);
    return section?.actions.at(-1)?.serverSeq ?? section?.fromSeq ?? 0;
  }

  /** Whether the last thing it heard is the end: of a terminal, or of all terminals of the root. */
  get isEnded(): boolean {
    const { type, terminals = [] } = this.#last ?? {};
    if (type === "root/terminalsChanged") return terminals.every(isExited);
    return type === "terminal/exited";
  }

  /** How many snapshots it got. */
  get snapshots(): number {
    return this.#sections.length;
  }

  /** Begins anew with a snapshot. */
  begin(snapshot: ToldSnapshot): void {
    assert.ok(
      snapshot.fromSeq >= this.lastSeq,
      `a snapshot of ${this.channel} from ${snapshot.fromSeq} came after ${this.lastSeq}`,
    );
    const before = this.#lines;
    this.#lines = 0;
    this.#tail = "";
    this.#read(textOf(snapshot).slice(-SNAPSHOT_TAIL_LENGTH));
    assert.ok(this.#lines >= before, `line ${before} of ${this.channel} is in no snapshot`);
    this.#last = endIn(snapshot);
    const { fromSeq } = snapshot;
    this.#sections.push({ fromSeq, lines: this.#lines, actions: [], isRetold: false });
  }

  /** Takes an action; throws when it is not after all before. */
  push({ serverSeq, action }: Told): void {
    const section = this.#sections.at(-1);
    assert.ok(section, `an action of ${this.channel} came before any snapshot`);
    assert.ok(
      serverSeq > this.lastSeq,
      `${serverSeq} of ${this.channel} came after ${this.lastSeq}: doubled, or out of order`,
    );
    if (action.type === "terminal/data") this.#read(action.data ?? "");
    // What was shown in the middle of a flood is told anew behind it.
    if (action.type === "terminal/cleared") section.isRetold = true;
    if (action.type === "terminal/cleared") this.#tail = "";
    this.#last = action;
    section.actions.push({ serverSeq, print: printOf(action), lines: this.#lines });
  }

  /** Throws unless this is exactly what another client heard, which was never cut. */
  check(witness: Heard): void {
    const [whole] = witness.#sections;
    assert.ok(
      whole && witness.#sections.length === 1,
      `the witness of ${this.channel} fell behind`,
    );
    const numbers = new Set(whole.actions.map(({ serverSeq }) => serverSeq));
    for (const { fromSeq, lines, isRetold, ...section } of this.#sections) {
      const actions = section.actions.filter(
        ({ serverSeq }) => !isRetold || numbers.has(serverSeq),
      );
      const until = actions.at(-1)?.serverSeq ?? fromSeq;
      const told: readonly HeardAction[] = whole.actions.filter(
        ({ serverSeq }) => serverSeq > fromSeq && serverSeq <= until,
      );
      this.#compare(actions, told);
      const before: HeardAction | undefined = whole.actions.findLast(
        ({ serverSeq }) => serverSeq <= fromSeq,
      );
      assert.equal(lines, (before ?? whole).lines, `the lines in ${this.channel} at ${fromSeq}`);
    }
    assert.equal(this.#lines, witness.#lines, `the last line of ${this.channel}`);
    assert.deepEqual(this.#last, witness.#last, `the last action of ${this.channel}`);
  }

  #compare(actions: readonly HeardAction[], told: readonly HeardAction[]): void {
    if (this.channel !== ROOT) {
      assert.deepEqual(actions, told, `what was told of ${this.channel}`);
      return;
    }
    // A list that another one follows at once may be left out, for either of them.
    const prints = new Map(told.map(({ serverSeq, print }) => [serverSeq, print]));
    for (const { serverSeq, print } of actions) {
      assert.equal(print, prints.get(serverSeq) ?? print, `the list of number ${serverSeq}`);
    }
  }

  #read(text: string): void {
    const all = this.#tail + text;
    for (const [, number] of all.matchAll(/line (\d+)\r?\n/g)) {
      const line = Number(number);
      if (line <= this.#lines) continue;
      // The beginning of a snapshot may be left out; later there is no hole.
      const isNext = line === this.#lines + 1 || this.#lines === 0;
      assert.ok(isNext, `line ${line} of ${this.channel} came after line ${this.#lines}`);
      this.#lines = line;
    }
    this.#tail = all.slice(-TAIL_LENGTH);
  }
}
