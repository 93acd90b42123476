// How long it takes until something can be recorded again after a kill under load, with many entries in the store.
import { setTimeout as wait } from "node:timers/promises";
import { ownDirectory } from "../support/own-directory.ts";
import { startProgram } from "../support/start-program.ts";
import { hear } from "./said.ts";

/** What a measurement is made of. */
export interface RestartRun {
  readonly fillProgram: string;
  readonly loadProgram: string;
  readonly entries: number;
}

/** It is killed and started so often. */
const RESTARTS = 5;

/** How long it is under load before it is killed. */
const LOAD_MS = 400;

/** The longest time from the start of a process to its first acknowledged entries, in ms. */
export async function measureRestart(run: RestartRun): Promise<number> {
  using own = ownDirectory();
  const directory = own.path;
  const filled = await startProgram(run.fillProgram, [directory, String(run.entries)]).ended;
  if (filled.signal !== "SIGKILL") throw new Error(`it could not be filled: ${filled.errors}`);
  let longestMs = 0;
  for (let restart = 0; restart < RESTARTS; restart++) {
    longestMs = Math.max(longestMs, await measureOne(run.loadProgram, directory, restart));
  }
  return longestMs;
}

async function measureOne(program: string, directory: string, seed: number): Promise<number> {
  const ready = Promise.withResolvers<void>();
  const startedAt = performance.now();
  const victim = startProgram(program, [directory, String(seed)], {
    handleLine: (line) => {
      if (hear(line).say === "ready") ready.resolve();
    },
  });
  await Promise.race([ready.promise, victim.ended]);
  const tookMs = performance.now() - startedAt;
  await Promise.race([wait(LOAD_MS), victim.ended]);
  victim.kill();
  const { signal, errors } = await victim.ended;
  if (signal !== "SIGKILL" || errors !== "") throw new Error(`it ended by itself: ${errors}`);
  return tookMs;
}
