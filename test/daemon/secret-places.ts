// Everywhere a daemon could leave a trace of a secret.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { tracedIn } from "../support/canary.ts";
import type { DaemonProcess } from "../support/daemon-process.ts";
import { readIfPresent } from "../support/read-if-present.ts";

/** The files that have the operator's token because it is found there. */
const TOKEN_FILES = ["token", "run/daemon.json"];

/** Secrets by what they are. */
export class Secrets {
  readonly #names = new Map<string, string>();

  /** Remembers a secret; what all of its kind begin with tells nothing. */
  add(name: string, secret: string): string {
    this.#names.set(secret.replace(/^(?:nacre_|term-|ticket_)/, ""), name);
    return secret;
  }

  get count(): number {
    return this.#names.size;
  }

  /** The names of those of which there is a trace. */
  in(found: Uint8Array | string): string[] {
    return tracedIn([...this.#names.keys()], found).map((secret) => this.#names.get(secret) ?? "");
  }
}

/** Looks for secrets, and remembers every place where one was found. */
export class SecretSearch {
  readonly found: string[] = [];
  readonly #secrets: Secrets;
  /** How many bytes were looked through. */
  #bytes = 0;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Looks through some bytes or a text; `allowed` may be there. */
  look(place: string, content: Uint8Array | string, allowed?: string): void {
    this.#bytes += content.length;
    const names = this.#secrets.in(content).filter((name) => name !== allowed);
    this.found.push(...names.map((name) => `${name} in ${place}`));
  }

  /** Everything the daemon said; its first line is the address with the token, for who started it. */
  lookAtWords({ said }: DaemonProcess): void {
    this.look("standard output", said.out.slice(said.out.indexOf("\n") + 1));
    this.look("standard error", said.error);
  }

  /** Every file below the daemon's home. */
  lookAtFiles({ home }: DaemonProcess, operator: string): void {
    for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const name = relative(home, path);
      this.look(name, readIfPresent(path), TOKEN_FILES.includes(name) ? operator : undefined);
    }
  }

  /** Arguments and environment of the daemon and of everything it started; gives how many processes there were. */
  lookAtProcesses({ pid }: DaemonProcess): number {
    const processes = withDescendants(pid);
    for (const one of processes) {
      for (const part of ["cmdline", "environ"]) {
        this.look(`${part} of ${one === pid ? "the daemon" : "a program"}`, readProcess(one, part));
      }
    }
    return processes.length;
  }
}

function withDescendants(root: number): number[] {
  const parents = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    // The name of a program is in parentheses and may have any character.
    const stat = readProcess(Number(name), "stat").toString();
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return [[Number(name), parent] as const];
  });
  const found = [root];
  for (const pid of found) {
    found.push(...parents.flatMap(([child, parent]) => (parent === pid ? [child] : [])));
  }
  return found;
}

function readProcess(pid: number, part: string): Buffer {
  try {
    return readFileSync(`/proc/${pid}/${part}`);
  } catch {
    // It has just ended.
    return Buffer.alloc(0);
  }
}
