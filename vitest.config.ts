import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { CONDITIONS, places, PROGRAMS } from "./scripts/build-programs.ts";

const FILES = ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts"];

/** Files that take a minute; begun last, they would be all that still runs. */
const LONG =
  /\/test\/(?:crash|daemon|faults|recording|reliability|simulation|survive|cli|cli-live|mcp|web|web-past)\/|\/documentation\.test\.ts$/;

/** Tests of whole programs: they load little themselves, and look at their own process too. */
const WHOLE =
  /^test\/(?:crash|daemon|faults|recording|reliability|simulation|survive|pty|cli|cli-live|mcp|web|web-past|browser|secrets|[^/]*$)/;

/** What a test changes for everything else in its process. */
const CHANGES_PROCESS =
  /\bvi\.(?:mock|doMock|hoisted|stub\w+|spyOn|useFakeTimers|setConfig|resetModules)\(|\bprocess\.(?:on|once|emit|umask|chdir|exit|kill)\(|\bprocess\.(?:env\[[^\]]+\]|exitCode) =|\bdelete process\.env|\bglobalThis\.\w+ =|--expose-gc|\/proc\/self/;

/** A process of its own for each file costs more than most files; only who needs one gets it. */
const apart = globSync(FILES).filter(
  (path) => WHOLE.test(path) || CHANGES_PROCESS.test(readFileSync(path, "utf8")),
);

/** The long ones first; those that share a process one after the other, because another file between them would end it. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification): number =>
      LONG.test(moduleId) ? 0 : project.config.isolate ? 1 : 2;
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  // Packages are tested from their sources, so that no test ever runs against a stale build.
  resolve: { conditions: CONDITIONS },
  ssr: { resolve: { conditions: CONDITIONS } },
  plugins: [places(PROGRAMS)],
  test: {
    projects: [
      { extends: true, test: { name: "apart", include: apart } },
      { extends: true, test: { name: "together", include: FILES, exclude: apart, isolate: false } },
    ],
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
