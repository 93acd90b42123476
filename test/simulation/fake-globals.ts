// Puts virtual time, seeded chance and a small made-up file system in the place of Node's own, for all code of this process.
import crypto from "node:crypto";
import fs from "node:fs";
import filePromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import timerPromises from "node:timers/promises";
import workerThreads from "node:worker_threads";
import type { Scheduler, SimEvent } from "./scheduler.ts";

/** What the run in progress gives to the code under it. */
export interface Surroundings {
  readonly scheduler: Scheduler;
  /** The text of files that were written, by path. */
  readonly files: Map<string, string>;
  connect(options: object): net.Socket;
  startWorker(file: URL, options: { readonly workerData?: unknown }): object;
}

let here: Surroundings | undefined;

/** Says in which run the process is from now on. */
export const surround = (surroundings: Surroundings): void => void (here = surroundings);

const required = (): Surroundings => {
  if (!here) throw new Error("nothing runs in this process before a seed does");
  return here;
};

/** What code gets for a timer. */
class FakeTimer {
  #event: SimEvent | undefined;
  readonly #run: () => void;
  readonly #everyMs: number | undefined;

  constructor(run: () => void, delayMs: number, everyMs?: number) {
    this.#run = run;
    this.#everyMs = everyMs;
    this.#plan(delayMs);
  }

  #plan(delayMs: number): void {
    this.#event = required().scheduler.after(delayMs, () => {
      if (this.#everyMs !== undefined) this.#plan(this.#everyMs);
      this.#run();
    });
  }

  cancel(): void {
    if (this.#event) this.#event.run = undefined;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
  [Symbol.dispose](): void {
    this.cancel();
  }
}

const clear = (timer: unknown): void => {
  if (timer instanceof FakeTimer) timer.cancel();
};

type Callback = (...values: unknown[]) => void;

const RealDate = Date;

class FakeDate extends RealDate {
  constructor(...values: []) {
    if (values.length === 0) super(FakeDate.now());
    else super(...values);
  }
  static override now = (): number => required().scheduler.wallMs;
}

/** A number of the process, so that what is said of it is always as long. */
const FAKE_PID = 4242;

/** A setImmediate comes round after the events that were there before it. */
const TURN_MS = 0.01;

function replaceTime(): void {
  const after = (run: Callback, delayMs = 1, ...values: unknown[]) =>
    new FakeTimer(() => run(...values), Math.max(1, delayMs));
  Object.assign(globalThis, {
    setTimeout: after,
    setInterval: (run: Callback, everyMs = 1, ...values: unknown[]) =>
      new FakeTimer(() => run(...values), Math.max(1, everyMs), Math.max(1, everyMs)),
    setImmediate: (run: Callback, ...values: unknown[]) =>
      new FakeTimer(() => run(...values), TURN_MS),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    Date: FakeDate,
  });
  performance.now = () => required().scheduler.nowMs;
  const wait = (delayMs = 1, value?: unknown) =>
    new Promise((resolve) => void new FakeTimer(() => resolve(value), delayMs));
  Object.assign(timerPromises, {
    setTimeout: wait,
    setImmediate: (value?: unknown) => wait(TURN_MS, value),
  });
}

function replaceChance(): void {
  const bytes = (count: number): Buffer => {
    const { scheduler } = required();
    return Buffer.from(Uint8Array.from({ length: count }, () => scheduler.between(0, 255)));
  };
  Object.assign(crypto, {
    randomBytes: bytes,
    randomInt: (least: number, most?: number) =>
      most === undefined
        ? required().scheduler.between(0, least - 1)
        : required().scheduler.between(least, most - 1),
    randomUUID: () =>
      bytes(16)
        .toString("hex")
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  });
}

const nothingThere = (path: unknown): Error =>
  Object.assign(new Error(`ENOENT: ${String(path)}`), { code: "ENOENT" });

/** Directories are `/` and `/sim`; the only program is bash. */
function replaceFiles(): void {
  const kindOf = (path: string): "directory" | "file" | undefined => {
    if (path === "/" || path === "/sim") return "directory";
    return path === "/bin/bash" ? "file" : undefined;
  };
  const stat = async (path: string) => {
    const kind = kindOf(path);
    if (!kind) throw nothingThere(path);
    return { isFile: () => kind === "file", isDirectory: () => kind === "directory" };
  };
  Object.assign(filePromises, {
    stat,
    realpath: async (path: string) => (await stat(path)) && path,
    access: async (path: string) => void (await stat(path)),
    open: async (path: string) => {
      throw nothingThere(path);
    },
    mkdir: async () => undefined,
    mkdtemp: async (prefix: string) => `${prefix}${crypto.randomBytes(3).toString("hex")}`,
    writeFile: async (path: string, text: string) => void required().files.set(path, text),
    rm: async () => undefined,
  });
  const read = fs.readFileSync;
  const noSuchFile = nothingThere("/proc");
  // What the kernel says of this process would differ from run to run.
  fs.readFileSync = ((path: string, ...rest: []) => {
    if (typeof path === "string" && path.startsWith("/proc/")) throw noSuchFile;
    return read(path, ...rest);
  }) as typeof fs.readFileSync;
}

/** Replaces everything by which code could come to know of the world outside; nothing is put back. */
export function replaceGlobals(): void {
  replaceTime();
  replaceChance();
  replaceFiles();
  Object.defineProperty(process, "pid", { value: FAKE_PID });
  net.connect = ((options: object) => required().connect(options)) as typeof net.connect;
  class FakeWorker {
    constructor(file: URL, options: { readonly workerData?: unknown }) {
      // Whoever makes a thread gets what the run puts in its place.
      return required().startWorker(file, options);
    }
  }
  Object.assign(workerThreads, { Worker: FakeWorker });
  syncBuiltinESMExports();
}
