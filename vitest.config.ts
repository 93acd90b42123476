import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { CONDITIONS, places, PROGRAMS } from "./scripts/build-programs.ts";

/** What `npm test` runs: units, contracts of ports, and one story over every wire. */
const UNIT = [
  "packages/*/src/**/*.test.ts",
  "scripts/**/*.test.ts",
  "test/e2e/transports.test.ts",
  "test/{architecture,named-files}.test.ts",
];

/** What only `npm run test:all` adds: whole programs, real browsers, faults, crashes, attacks, measured promises. */
const WHOLE = ["test/**/*.test.ts"];

/**
 * Tests that change or inspect their process (mocks, fake timers, `process`, /proc/self) or start whole programs. A process
 * for each file costs more than most files take, so only these get one.
 */
const ISOLATED = "**/*.isolated.test.ts";

/** Files that take a minute; begun last, they would be all that still runs. */
const LONG =
  /\/test\/(?:crash|daemon|faults|recording|reliability|simulation|survive|cli|cli-live|mcp|web|web-past)\/|\/(?:documentation|packages)\.test\.ts$/;

/** The long ones first; those that share a process one after the other, because another file between them would end it. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification): number =>
      LONG.test(moduleId) ? 0 : project.config.isolate ? 1 : 2;
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** A set of files as two projects: those that share processes, and those that have one each. */
function projectsFor(
  name: string,
  include: string[],
  exclude: string[] = [],
): TestProjectInlineConfiguration[] {
  const isolated = include.flatMap((glob) =>
    glob.endsWith("*.test.ts") ? [glob.replace("*.test.ts", "*.isolated.test.ts")] : [],
  );
  return [
    { extends: true, test: { name, include, exclude: [...exclude, ISOLATED], isolate: false } },
    { extends: true, test: { name: `${name}-isolated`, include: isolated, exclude } },
  ];
}

export default defineConfig({
  // Packages are tested from their sources, so that no test ever runs against a stale build.
  resolve: { conditions: CONDITIONS },
  ssr: { resolve: { conditions: CONDITIONS } },
  plugins: [places(PROGRAMS)],
  test: {
    projects: [...projectsFor("unit", UNIT), ...projectsFor("whole", WHOLE, UNIT)],
    // What tests start, and the page that it serves, are made of the sources as they are now.
    globalSetup: ["scripts/build-page.ts", "scripts/build-programs.ts"],
    env: { BUILT_PROGRAMS: PROGRAMS },
    pool: "forks",
    // Most tests wait for programs of the machine: one worker per core would leave much of each core idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongFirst },
    testTimeout: 30_000,
    // What is waited for comes in a moment, on a busy machine in a few seconds.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 30_000,
  },
});
