import { defineConfig } from "vitest/config";

/** Packages are tested from their sources, so that no test ever runs against a stale build. */
const conditions = ["nacre-source", "node", "import", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts"],
    // The daemons of tests serve the page as its sources are now.
    globalSetup: ["scripts/build-page.ts"],
    pool: "forks",
    // Most tests wait for programs of the machine: one worker per core would leave a quarter of each core idle.
    maxWorkers: "150%",
    testTimeout: 30_000,
    // What is waited for comes in a moment, on a busy machine in a few seconds.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 30_000,
  },
});
