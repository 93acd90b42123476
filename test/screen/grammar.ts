// Cases made at random from a grammar; the same seed gives the same cases.
import type { Size } from "@nacre/contracts";
import { Random } from "../support/random.ts";
import { ordinarySteps } from "./ordinary.ts";
import { CASE_SIZE, OUTPUT_RULES, type Weighted } from "./output-rules.ts";
import type { Step } from "./step.ts";

/** All classes, in the order in which they are told. */
export const CASE_CLASSES = [
  "basic",
  "corners",
  "looks",
  "wide",
  "editing",
  "margins",
  "tabs",
  "modes",
  "charsets",
  "alternate",
  "resizes",
  "everything",
] as const;

/** What kind of output a case is made of; `corners` is as `basic`, with what terminals do not agree on at the end of a row. */
export type CaseClass = (typeof CASE_CLASSES)[number];

/** One case: what is written to an empty screen. */
export interface ScreenCase {
  readonly kind: CaseClass;
  readonly seed: number;
  readonly size: Size;
  readonly steps: readonly Step[];
}

const MAX_STEPS = 24;

const rules = OUTPUT_RULES;

const BASIC: Weighted = [
  ...rules.text,
  ...rules.controls,
  ...rules.motions,
  ...rules.erases,
  ...rules.scrolls,
  ...rules.simpleLooks,
];
const PLAIN: Weighted = [
  ...rules.text,
  ...rules.controls,
  ...rules.motions,
  ...rules.erases,
  ...rules.scrolls,
];

const CLASSES: Readonly<Record<CaseClass, Weighted>> = {
  basic: BASIC,
  corners: BASIC,
  looks: [...BASIC, ...rules.simpleLooks, ...rules.looks],
  wide: [...BASIC, ...rules.wideText],
  editing: [...BASIC, ...rules.edits],
  margins: [...BASIC, ...rules.margins],
  tabs: [...PLAIN, ...rules.tabs],
  modes: [...BASIC, ...rules.modes, ...rules.saves],
  charsets: [...PLAIN, ...rules.charsets, ...rules.saves],
  alternate: [...BASIC, ...rules.alternates, ...rules.saves],
  resizes: [...rules.text, ...rules.newlines, ...rules.resizes],
  everything: [
    ...BASIC,
    ...rules.looks,
    ...rules.wideText,
    ...rules.edits,
    ...rules.margins,
    ...rules.tabs,
    ...rules.saves,
    ...rules.modes,
    ...rules.charsets,
    ...rules.alternates,
  ],
};

/** How many of a hundred cases are of each class but the first. */
const OTHER_SHARE = 5;

/** The class of a case by its number: about half of them are basic. */
export function classOf(index: number): CaseClass {
  const others = CASE_CLASSES.slice(1);
  const turn = index % 100;
  const other = turn < OTHER_SHARE * others.length ? others[turn % others.length] : undefined;
  return other ?? "basic";
}

/** The case of a class that a seed stands for. */
export function makeCase(kind: CaseClass, seed: number): ScreenCase {
  const random = new Random(seed);
  const count = random.between(2, MAX_STEPS);
  const steps = Array.from({ length: count }, () => random.weighted(CLASSES[kind])(random)).flat();
  return {
    kind,
    seed,
    size: CASE_SIZE,
    steps: kind === "basic" ? ordinarySteps(CASE_SIZE, steps) : steps,
  };
}
