// Many agents that write into the same directory at the same time, in pieces, and look for their answers.
import { readFileSync } from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { OperationName, OperationOutput } from "@nacre/contracts";
import { SerialQueue } from "../../packages/host/src/base/serial-queue.ts";
import { serveControlDirectory } from "../../packages/host/src/transports/files/serve-control-directory.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { AGENT } from "./served-directory.ts";

/** How much is written. */
export interface WritingOptions {
  readonly writers: number;
  readonly requests: number;
  readonly seed: number;
}

/** What came of it. */
export interface Written {
  /** How often each request was done. */
  readonly done: ReadonlyMap<string, number>;
  /** How many writers' requests had their own answer. */
  readonly answers: number;
  /** How often somebody read a file that was no JSON. */
  readonly torn: number;
  readonly reads: number;
}

/** A writer that finds no answer for so long writes again: another wrote over its request. */
const RETRY_MS = 150;

/** Random numbers that a seed repeats. */
function randomBy(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Lets many writers ask for many things; each has an id that must be done exactly once. */
export async function writeInParallel(options: WritingOptions): Promise<Written> {
  using place = ownDirectory();
  const directory = join(place.path, "terminal");
  const done = new Map<string, number>();
  const call = async <Name extends OperationName>(
    name: Name,
    input: unknown,
  ): Promise<OperationOutput<Name>> => {
    const { commandLine = "" } = input as { commandLine?: string };
    if (name === "execCommand") done.set(commandLine, (done.get(commandLine) ?? 0) + 1);
    const excerpt = { totalBytes: 0 };
    const ran = { terminalId: "terminal:a", exitCode: 0, timedOut: false, durationMs: 0 };
    const page = { data: commandLine, position: { after: 1 }, ended: true, exitCode: 0 };
    return { ...ran, ...page, output: excerpt } as OperationOutput<Name>;
  };
  await using _service = await serveControlDirectory({
    directory,
    caller: AGENT,
    operations: { call },
    handleProblem: (error) => {
      throw error;
    },
    limits: { requestsPerSecond: 100_000, maxWaiting: 10_000, maxAnswers: 100_000 },
  });
  const random = randomBy(options.seed);
  const tearing = new SerialQueue();
  const ids = Array.from({ length: options.requests }, (_, index) => `w${index}`);
  const waiting = [...ids];
  let answers = 0;
  const writer = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const answered = await askUntilAnswered({ directory, id, random, tearing });
      if (answered === id) answers += 1;
    }
  };
  const reader = startReader(directory);
  await Promise.all(Array.from({ length: options.writers }, writer));
  const { torn, reads } = await reader.stop();
  return { done, answers, torn, reads };
}

interface Asking {
  readonly directory: string;
  readonly id: string;
  readonly random: () => number;
  readonly tearing: SerialQueue;
}

/** Writes a request again until its answer is there; returns the id in the answer. */
async function askUntilAnswered({ directory, id, random, tearing }: Asking): Promise<string> {
  const text = JSON.stringify({ request_id: id, command: id });
  const answer = join(directory, "requests", `${id}.json`);
  for (;;) {
    if (random() < 0.5) await put({ directory, text, random });
    // Pieces of two writers in one file would make a text that neither wrote; who renames needs no such care.
    else await tearing.run(() => tear({ directory, text, random }));
    const untilMs = performance.now() + RETRY_MS * (1 + random());
    while (performance.now() < untilMs) {
      const found = readJson(answer);
      if (found !== undefined) return (found as { request_id: string }).request_id;
      // The writer of a real agent has nothing else to go by either.
      await pause(5);
    }
  }
}

interface Piece {
  readonly directory: string;
  readonly text: string;
  readonly random: () => number;
}

/** Writes beside the control file, and renames into place. */
async function put({ directory, text, random }: Piece): Promise<void> {
  const draft = join(directory, "control", `.draft-${random()}`);
  await writeFile(draft, text);
  await rename(draft, join(directory, "control", "exec.json"));
}

/** Writes in place, in pieces with pauses between them. */
async function tear({ directory, text, random }: Piece): Promise<void> {
  await using file = await open(join(directory, "control", "exec.json"), "w");
  for (let at = 0; at < text.length;) {
    const size = 1 + Math.floor(random() * text.length);
    await file.write(text.slice(at, at + size));
    at += size;
    if (random() < 0.3) await pause(random() * 10);
  }
}

/** What is in a file; nothing when it is not there, a fault when it is no JSON. */
function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // Not there yet.
    return undefined;
  }
  return JSON.parse(text);
}

/** Somebody who reads all the time what the service writes. */
function startReader(directory: string) {
  const names = ["status.json", "result.json", "sessions.json", "current.json"];
  let isOver = false;
  let torn = 0;
  let reads = 0;
  const run = async (): Promise<void> => {
    while (!isOver) {
      for (const name of names) {
        reads += 1;
        try {
          if (readJson(join(directory, name)) === undefined) torn += 1;
        } catch {
          torn += 1;
        }
      }
      await pause(1);
    }
  };
  const running = run();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return { torn, reads };
    },
  };
}
