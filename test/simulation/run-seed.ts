import type { Sometimes, Violation } from "./checks.ts";
import { surround } from "./fake-globals.ts";
import { FAULT_STEPS } from "./faults.ts";
import { checkEnd } from "./final-checks.ts";
import { ORDINARY_STEPS } from "./steps.ts";
import { World, type WorldOptions } from "./world.ts";

/** How a run went. */
export interface Run {
  readonly violation: Violation | undefined;
  readonly steps: readonly string[];
  readonly reached: ReadonlySet<Sometimes>;
  /** Stands for everything that happened and was recorded: the same seed gives the same. */
  readonly digest: string;
}

const STEPS = 200;

/** In so many runs nothing goes wrong: then nothing may be missing. */
const CALM_CHANCE = 0.1;

/** How long things go on undisturbed before the end is looked at. */
const CALM_MS = 60_000;

/** How long a daemon takes to serve, at most. */
const START_MS = 50;

type Step = (world: World) => string | undefined;
type Weighted = readonly (readonly [step: Step, weight: number])[];

/** One run, from the first step to the last check; to be called from an event of Node's own loop, never from a promise. */
export function runSeed(options: WorldOptions): Run {
  const world = new World(options);
  surround(world.machine);
  const uninstall = options.plant?.install?.(world);
  try {
    playSteps(world);
    if (!world.isOver()) settle(world);
    if (!world.isOver()) checkEnd(world);
  } finally {
    uninstall?.();
  }
  const { violation, reached } = world.checks;
  return { violation, reached, steps: world.steps, digest: world.digest() };
}

function playSteps(world: World): void {
  const { scheduler, machine, everyone } = world;
  const isCalm = scheduler.chance(CALM_CHANCE);
  const steps: Weighted = isCalm ? ORDINARY_STEPS : [...ORDINARY_STEPS, ...FAULT_STEPS];
  machine.startDaemon();
  world.pass(START_MS);
  for (const client of everyone) client.connect();
  for (let count = 0; count < STEPS && !world.isOver(); count++) {
    const said = chooseStep(world, steps)(world);
    if (said !== undefined) world.steps.push(`${scheduler.nowMs.toFixed(1)} ms: ${said}`);
    world.pass(pauseMs(world));
  }
}

/** Nothing goes wrong any more, and everybody comes back. */
function settle(world: World): void {
  const { machine, everyone } = world;
  world.heal();
  machine.startDaemon();
  world.pass(CALM_MS);
  for (const client of everyone) client.connect();
  world.pass(CALM_MS);
}

function chooseStep({ scheduler }: World, steps: Weighted): Step {
  const total = steps.reduce((sum, [, weight]) => sum + weight, 0);
  let place = scheduler.random() * total;
  for (const [step, weight] of steps) {
    place -= weight;
    if (place < 0) return step;
  }
  return () => undefined;
}

/** Mostly the next step comes at once or soon; sometimes everything has time to settle. */
function pauseMs({ scheduler }: World): number {
  const kind = scheduler.random();
  if (kind < 0.3) return 0;
  if (kind < 0.85) return scheduler.random() * 20;
  return kind < 0.97 ? scheduler.random() * 1500 : scheduler.random() * 15_000;
}
