import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { CONDITIONS, places, PROGRAMS } from "./scripts/build-programs.ts";

/** Files that take a minute; begun last, they would be all that still runs. */
const LONG =
  /\/test\/(?:crash|daemon|recording|cli|cli-live|mcp|web|web-past)\/|\/documentation\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  // Packages are tested from their sources, so that no test ever runs against a stale build.
  resolve: { conditions: CONDITIONS },
  ssr: { resolve: { conditions: CONDITIONS } },
  plugins: [places()],
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts"],
    // What tests start, and the page that it serves, are made of the sources as they are now.
    globalSetup: ["scripts/build-page.ts", "scripts/build-programs.ts"],
    env: { BUILT_PROGRAMS: PROGRAMS },
    pool: "forks",
    // Most tests wait for programs of the machine: one worker per core would leave a quarter of each core idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongFirst },
    testTimeout: 30_000,
    // What is waited for comes in a moment, on a busy machine in a few seconds.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 30_000,
  },
});
