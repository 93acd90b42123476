import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import {
  decodeBytes,
  type EntityEventsMessage,
  TerminalRecordingEntrySchema,
} from "@nacre/contracts";
import { createHost, type Host, type Terminal } from "@nacre/host";
import { tracedIn } from "../support/canary.ts";
import { type OwnDirectory, ownDirectory } from "../support/own-directory.ts";
import { readIfPresent } from "../support/read-if-present.ts";
import { entriesOf } from "../support/recorded-entries.ts";

/** Where something that was typed can be found. */
export type Place =
  | "input"
  | "output"
  | "entries"
  | "commands"
  | "terminal"
  | "screen"
  | "content"
  | "search";

/** A host on disk, all of whose events and problems are kept to be looked through. */
export class WatchedHost implements AsyncDisposable {
  readonly #host: Host;
  readonly #directory: OwnDirectory;
  readonly #problems: unknown[];
  readonly #events: EntityEventsMessage[] = [];
  readonly #hearing: Promise<void>;

  private constructor(host: Host, directory: OwnDirectory, problems: unknown[]) {
    this.#host = host;
    this.#directory = directory;
    this.#problems = problems;
    const subscription = host.bus.subscribe({ channels: ["*"] });
    this.#hearing = (async () => {
      for await (const message of subscription) this.#events.push(message);
    })();
  }

  static async open(): Promise<WatchedHost> {
    const directory = ownDirectory();
    const problems: unknown[] = [];
    const host = await createHost({
      directory: directory.path,
      handleProblem: (_terminalId, error) => problems.push(error),
      handleState: (state) => problems.push(state),
    });
    return new WatchedHost(host, directory, problems);
  }

  get host(): Host {
    return this.#host;
  }

  /** Where a trace of a secret is, for those who may look at the terminal. */
  async placesOf(canary: string, terminal: Terminal): Promise<Place[]> {
    const { recordings } = this.#host;
    await recordings.whenIndexed();
    const { id: terminalId } = terminal;
    const entries = await entriesOf(this.#host, terminalId);
    const dataOf = (type: "input" | "output"): Buffer =>
      Buffer.concat(entries.flatMap((entry) => (entry.type === type ? (entry.data ?? []) : [])));
    const search = { terminalId, limit: 1, mode: "substring", text: canary.slice(0, 8) } as const;
    const seen: readonly (readonly [Place, unknown])[] = [
      ["entries", await recordings.findEntries({ terminalId, limit: 1000, view: "raw" })],
      ["commands", await terminal.commands.list()],
      ["terminal", await this.#host.read(terminalId)],
      ["screen", await terminal.reader.readScreen("ansi")],
      ["content", await terminal.reader.readContent()],
      ["search", (await recordings.search(search)).hits],
    ];
    const found: readonly (readonly [Place, string | Buffer])[] = [
      // What was typed key by key shows only where the keys stand side by side.
      ["input", dataOf("input")],
      ["output", dataOf("output")],
      ...seen.map(([place, value]) => [place, JSON.stringify(value)] as const),
    ];
    return found.flatMap(([place, text]) => (tracedIn([canary], text).length > 0 ? [place] : []));
  }

  /** Closes the host; tells which secrets left a trace in what was heard, and which in a file. */
  async close(
    canaries: readonly string[],
  ): Promise<Record<"events" | "problems" | "files", string[]>> {
    await this.#host[Symbol.asyncDispose]();
    await this.#hearing;
    const typed = Buffer.concat(this.#events.flatMap(typedIn)).toString("latin1");
    const files = filesBelow(this.#directory.path).map(readIfPresent);
    return {
      events: tracedIn(canaries, `${JSON.stringify(this.#events)}${typed}`),
      problems: tracedIn(canaries, inspect(this.#problems, { depth: null })),
      files: tracedIn(canaries, Buffer.concat(files)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
    this.#directory[Symbol.dispose]();
  }
}

/** What somebody typed, when that is what happened. */
function typedIn(message: EntityEventsMessage): readonly Uint8Array[] {
  if (message.type !== "event" || message.event.eventName !== "recordingEntry.appended") return [];
  const { success, data: entry } = TerminalRecordingEntrySchema.safeParse(message.event.payload);
  if (!success || entry.type !== "input" || entry.data === undefined) return [];
  return [decodeBytes({ data: entry.data, encoding: entry.encoding })];
}

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
