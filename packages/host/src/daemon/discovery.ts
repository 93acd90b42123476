import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { NacreError, parse } from "@nacre/contracts";
import { z } from "zod";
import { readPrivateFile, writePrivateFile } from "../auth/private-file.ts";
import { isOutOfSpace } from "../base/disk-full.ts";
import { readProcess } from "../pty/process-table.ts";

/** Readers refuse another version. */
const SCHEMA_VERSION = 1;

const FILE = "daemon.json";

/** How a daemon is found: its process, its addresses, and a token that only its user can read. */
export const Discovery = z
  .strictObject({
    schemaVersion: z.literal(SCHEMA_VERSION).meta({ description: "Version of this file's shape." }),
    pid: z.int().min(1).meta({ description: "Process of the daemon." }),
    startTime: z.int().min(0).nullable().meta({
      description:
        "When the process started, in clock ticks since the machine did (field 22 of /proc/<pid>/stat); null where there is no such file.",
    }),
    startedAt: z.iso.datetime().meta({ description: "When the daemon started." }),
    instanceId: z.uuid().meta({ description: "Names this run of the daemon." }),
    version: z.string().meta({ description: "Version of Nacre." }),
    protocolVersions: z
      .array(z.string())
      .meta({ description: "Versions of the interface that it speaks." }),
    home: z.string().meta({ description: "What NACRE_HOME would be to name this daemon." }),
    endpoints: z
      .strictObject({
        socket: z.string().meta({ description: "Path of the unix socket." }),
        http: z
          .strictObject({
            url: z.url().meta({ description: "Address of the HTTP face, without a token." }),
            host: z.string().meta({ description: "IP address that it listens on." }),
            port: z.int().min(1).max(65_535).meta({ description: "Port that it listens on." }),
            takenPort: z.int().min(1).max(65_535).optional().meta({
              description: "The usual port, where another program has it.",
            }),
          })
          .meta({ description: "The HTTP face." }),
      })
      .meta({ description: "Where it listens." }),
    token: z.string().min(1).meta({ description: "Token of the operator." }),
  })
  .meta({ description: "How a running daemon is found." });
export type Discovery = z.infer<typeof Discovery>;

export type DiscoveryFacts = Omit<
  Discovery,
  "schemaVersion" | "pid" | "startTime" | "startedAt" | "instanceId"
>;

/** Publishes where this process listens, until disposed. */
export class PublishedDiscovery implements Disposable {
  readonly #run: string;
  #discovery: Discovery;

  constructor(run: string, facts: DiscoveryFacts) {
    this.#run = run;
    this.#discovery = {
      schemaVersion: SCHEMA_VERSION,
      pid: process.pid,
      startTime: readStartTime(process.pid),
      startedAt: new Date().toISOString(),
      instanceId: randomUUID(),
      ...facts,
    };
    this.#writeFirst();
  }

  get current(): Discovery {
    return this.#discovery;
  }

  /** The operator's token was rotated. */
  changeToken(token: string): void {
    this.#discovery = { ...this.#discovery, token };
    this.#write();
  }

  [Symbol.dispose](): void {
    if (this.#isStillThere()) rmSync(join(this.#run, FILE), { force: true });
  }

  /** On a full disk the file of the daemon before, which is of no use any more, makes room for this one. */
  #writeFirst(): void {
    try {
      this.#write();
    } catch (error) {
      if (!(error instanceof NacreError && isOutOfSpace(error.cause))) throw error;
      rmSync(join(this.#run, FILE), { force: true });
      this.#write();
    }
  }

  #write(): void {
    writePrivateFile(join(this.#run, FILE), `${JSON.stringify(this.#discovery)}\n`);
  }

  /** Another daemon may have replaced the file, if this one was taken for dead. */
  #isStillThere(): boolean {
    try {
      return readDiscovery(this.#run)?.instanceId === this.#discovery.instanceId;
    } catch {
      // Not written by this daemon.
      return false;
    }
  }
}

/** Of the newest daemon, whether or not it still runs; refuses a file that others could have written. */
export function readDiscovery(run: string): Discovery | undefined {
  const path = join(run, FILE);
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    return parse(Discovery, JSON.parse(text));
  } catch {
    // A parser's message may quote the file, which contains the token.
    throw new NacreError("unavailable", `${path} was not written by a daemon of this version`, {
      suggestion: "Start the daemon again; if it does not run, remove the file.",
    });
  }
}

/** Only if the process that wrote the file still runs. */
export function findDaemon(run: string): Discovery | undefined {
  const discovery = readDiscovery(run);
  return discovery && isStillRunning(discovery) ? discovery : undefined;
}

/** The very process, not another one with its pid. */
export function isStillRunning({ pid, startTime }: Pick<Discovery, "pid" | "startTime">): boolean {
  if (startTime !== null) {
    const facts = readProcess(pid);
    return facts !== undefined && !facts.isDead && facts.startTicks === startTime;
  }
  try {
    return process.kill(pid, 0);
  } catch {
    // No such process, or another user's.
    return false;
  }
}

function readStartTime(pid: number): number | null {
  return process.platform === "linux" ? (readProcess(pid)?.startTicks ?? null) : null;
}
