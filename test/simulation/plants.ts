// Faults that are put in on purpose, each of a kind that the core must never have: the simulation has to find every one of them.
import { ClaimHolder } from "../../packages/host/src/claim/claim-holder.ts";
import type { Pty, PtyDriver } from "../../packages/host/src/pty/pty.ts";
import type { RecordedEntry } from "../../packages/host/src/recording/recorded-entry.ts";
import { Recording } from "../../packages/host/src/recording/recording.ts";
import { Recordings } from "../../packages/host/src/recording/recordings.ts";
import { Permissions } from "../../packages/host/src/terminal/permissions.ts";
import type { World } from "./world.ts";

/** A fault that is put in on purpose. */
export interface Plant {
  readonly what: string;
  /** What it has to be found by, or how that begins. */
  readonly breaks: string;
  /** Changes the Ptys that the daemon gets. */
  readonly alterPty?: (pty: Pty, world: World) => Partial<Pty>;
  /** Where a Pty is taken over instead of where it should be. */
  readonly adoptAt?: (fromOffset: number) => number;
  /** What is added to the sequence after which a feed goes on. */
  readonly resumeError?: number;
  /** The disk says that it synced before it did. */
  readonly syncsLate?: boolean;
  /** Is called when a daemon was killed. */
  readonly handleKill?: (world: World) => void;
  /** Changes the core itself; what it returns is to be undone. */
  readonly install?: (world: World) => () => void;
}

/** Takes the place of a method until it is put back. */
function replace<Thing extends object>(
  thing: Thing,
  name: keyof Thing & string,
  value: unknown,
): () => void {
  const before = Object.getOwnPropertyDescriptor(thing, name);
  Object.defineProperty(thing, name, { value, configurable: true, writable: true });
  return () => void (before && Object.defineProperty(thing, name, before));
}

const never = <Value>(): Promise<Value> => new Promise<Value>(() => undefined);

/** All of them, by name. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  ackBeforeCommit: {
    what: "the newest commit is gone after a kill",
    breaks: "I4",
    handleKill: ({ disk, model }) => {
      disk.forget(1);
      model.reload(disk.image);
    },
  },
  ackBeforeSync: {
    what: "a commit is told before it is synced",
    breaks: "I1",
    syncsLate: true,
  },
  showBeforeRecord: {
    what: "entries are told when they are handed over",
    breaks: "I1",
    install: () => {
      // oxlint-disable-next-line typescript/unbound-method -- called with the recording it belongs to
      const { append } = Recording.prototype;
      const counts = new WeakMap<Recording, number>();
      return replace(
        Recording.prototype,
        "append",
        function early(this: Recording, fact: RecordedEntry) {
          const sequence = (counts.get(this) ?? 0) + 1;
          counts.set(this, sequence);
          const data = "data" in fact ? fact.data?.slice() : undefined;
          append.call(this, fact).catch(() => undefined);
          const place = { terminalId: this.terminalId, sequence, elapsedMs: 0 };
          const at = { id: `${this.terminalId}-${sequence}`, occurredAt: new Date().toISOString() };
          return Promise.resolve({ ...fact, ...place, ...at, ...(data ? { data } : {}) });
        },
      );
    },
  },
  skipEpochCheck: {
    what: "the epoch that a caller believes in is not looked at",
    breaks: "I6",
    install: () => replace(Permissions.prototype, "requireEpoch", () => undefined),
  },
  claimHalfMoved: {
    what: "input does not wait for a claim that is being recorded",
    breaks: "I6",
    install: () => replace(ClaimHolder.prototype, "settled", () => Promise.resolve(true)),
  },
  duplicateOnAdopt: {
    what: "a Pty is taken over a few bytes too early",
    breaks: "I3",
    adoptAt: (fromOffset) => Math.max(0, fromOffset - 3),
  },
  resumeTooEarly: {
    what: "a feed goes on with what the viewer has",
    breaks: "I2 a viewer",
    resumeError: -1,
  },
  resumeTooLate: {
    what: "a feed leaves one entry out",
    breaks: "I2 a viewer",
    resumeError: 1,
  },
  lostExit: {
    what: "nobody hears of an exit that comes while a daemon is away",
    breaks: "I3 an exit",
    alterPty: (_pty, { scheduler }) => (scheduler.chance(0.3) ? { exited: never() } : {}),
  },
  releasedTooEarly: {
    what: "the keeper lets go of bytes that are not recorded",
    breaks: "I3",
    alterPty: (pty) => ({
      read: async (spare) => {
        const chunk = await pty.read(spare);
        if (chunk) pty.acknowledge?.(chunk.offset + chunk.bytes.byteLength);
        return chunk;
      },
    }),
  },
  inputTwice: {
    what: "input is written again after a while",
    breaks: "I7 input comes once",
    alterPty: (pty, { scheduler }) => ({
      write: async (bytes) => {
        const own = bytes.slice();
        await pty.write(own);
        if (scheduler.chance(0.05)) await pty.write(own);
      },
    }),
  },
  inputOvertaken: {
    what: "one input waits while a later one goes on",
    breaks: "I7 input of a client keeps its order",
    alterPty: (pty, { scheduler }) => ({
      write: async (bytes) => {
        const own = bytes.slice();
        if (scheduler.chance(0.9)) return await pty.write(own);
        setTimeout(() => void pty.write(own).catch(() => undefined), 40);
      },
    }),
  },
  secretShown: {
    what: "what the line discipline hides counts as shown",
    breaks: "I9",
    alterPty: (pty) => ({ state: async () => ({ ...(await pty.state()), echo: true }) }),
  },
  auditLost: {
    what: "some records of the audit are dropped",
    breaks: "I13",
    install: ({ scheduler }) => {
      // oxlint-disable-next-line typescript/unbound-method -- called with the recordings they belong to
      const { appendAudit } = Recordings.prototype;
      return replace(
        Recordings.prototype,
        "appendAudit",
        function some(this: Recordings, record: Parameters<Recordings["appendAudit"]>[0]) {
          return scheduler.chance(0.05) ? Promise.resolve() : appendAudit.call(this, record);
        },
      );
    },
  },
};

/** A driver with the fault in it. */
export function alterDriver(driver: PtyDriver, plant: Plant | undefined, world: World): PtyDriver {
  if (!plant?.alterPty && !plant?.adoptAt) return driver;
  const alter = (pty: Pty): Pty => {
    const changes = plant.alterPty?.(pty, world) ?? {};
    return {
      id: pty.id,
      leader: pty.leader,
      exited: pty.exited,
      read: (spare) => pty.read(spare),
      acknowledge: (offset) => pty.acknowledge?.(offset),
      write: (bytes) => pty.write(bytes),
      resize: (size) => pty.resize(size),
      state: () => pty.state(),
      signal: (signal, target) => pty.signal(signal, target),
      kill: (graceMs) => pty.kill(graceMs),
      [Symbol.asyncDispose]: () => pty[Symbol.asyncDispose](),
      ...changes,
    };
  };
  return {
    name: driver.name,
    spawn: async (launch) => alter(await driver.spawn(launch)),
    list: () => driver.list(),
    adopt: async (id, fromOffset) =>
      alter(await driver.adopt(id, plant.adoptAt?.(fromOffset) ?? fromOffset)),
  };
}
