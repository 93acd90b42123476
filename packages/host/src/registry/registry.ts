import {
  type EntryTypes,
  type LostReason,
  NacreError,
  parse,
  ReadTerminalInput,
  TerminalContract,
  type TerminalData,
  type TerminalId,
  type TerminalInput,
  TerminalInputSchema,
  type TerminalOwnerReference,
  type TerminalSendInput,
  TerminalSendInputSchema,
  type TerminalStorage,
  type TerminalSummary,
} from "@nacre/contracts";
import { Listeners } from "../base/listeners.ts";
import { detectShell } from "../pty/shell-detection.ts";
import { resolveWorkingDirectory } from "../pty/working-directory.ts";
import { adoptTerminal, type OrphanPty, sealLost } from "../terminal/adopt-terminal.ts";
import { EndedTerminal } from "../terminal/ended-terminal.ts";
import { type CreateOptions, launchTerminal, newTerminalId } from "../terminal/launch-terminal.ts";
import type { TerminalDeps } from "../terminal/terminal-init.ts";
import { parseAdoptedId } from "../terminal/adoption-state.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { CreateLimits, type TerminalLimits } from "./create-limits.ts";

type Caller = CreateOptions["by"];

/** The methods of the Terminal contract. */
export class TerminalEntity {
  readonly contract = TerminalContract;
  readonly #registry: Registry;
  readonly #caller: Caller;

  /** @param caller Default caller. */
  constructor(registry: Registry, caller: Caller) {
    this.#registry = registry;
    this.#caller = caller;
  }

  /** Completely or not at all. */
  async create(input: TerminalInput, by = this.#caller): Promise<TerminalData> {
    const terminal = await this.#registry.create(input, { by });
    return await terminal.reader.read();
  }

  /** Live or ended. */
  async read(input: ReadTerminalInput): Promise<TerminalData> {
    const { id, types } = parse(ReadTerminalInput, input);
    return await this.#registry.read(id, types);
  }

  async sendInput(input: TerminalSendInput, by = this.#caller): Promise<TerminalData> {
    const { id, ...data } = parse(TerminalSendInputSchema, input);
    const terminal = await this.#registry.require(id);
    await terminal.sendInput(data, by);
    return await terminal.reader.read();
  }
}

/** A worker that ended is restarted after a second. */
const RETRY_MS = 1000;
const MAX_TRIES = 3;

interface AdoptOptions {
  readonly lostReason: LostReason;
  readonly report: (error: unknown) => void;
}

export interface AdoptionCounts {
  readonly adopted: number;
  readonly ended: number;
  readonly lost: number;
}

/** Goes on with everything that outlived another host, in the order of its creation. */
async function adoptTerminals(
  deps: TerminalDeps,
  { lostReason, report }: AdoptOptions,
): Promise<Omit<AdoptionCounts, "adopted"> & { readonly terminals: readonly Terminal[] }> {
  const { driver, pipes, recordings } = deps;
  const lists = await Promise.all(
    [driver, pipes].map(async (one) =>
      (await one.list()).map((running) => ({ driver: one, running })),
    ),
  );
  const leftovers = lists.flat();
  // One that fails, such as for a broken recording, must not keep a host from its others.
  const settled = await Promise.allSettled(
    leftovers.map((one) => retryUnavailable(() => adoptOrEnd(one, deps))),
  );
  for (const one of settled) if (one.status === "rejected") report(one.reason);
  const found = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const terminals = found.filter((terminal) => terminal !== undefined);
  // These may succeed the next time.
  const except = new Set(
    leftovers.flatMap(({ running }, index) => {
      const one = settled[index];
      const isOver = one?.status === "fulfilled" && one.value === undefined;
      return isOver ? [] : (parseAdoptedId(running.memo) ?? []);
    }),
  );
  const seal = () => sealLost(recordings, { lostReason, report, except });
  const lost = await retryUnavailable(seal);
  const createdAt = ({ row }: Terminal): number => Date.parse(row.createdAt);
  return {
    terminals: terminals.toSorted((one, other) => createdAt(one) - createdAt(other)),
    ended: found.length - terminals.length,
    lost,
  };
}

/** Goes on with a terminal, or ends what belongs to none. */
async function adoptOrEnd(leftover: OrphanPty, deps: TerminalDeps): Promise<Terminal | undefined> {
  const terminal = await adoptTerminal(leftover, deps);
  if (terminal) return terminal;
  const { driver, running } = leftover;
  await using _ = await driver.adopt(running.id, running.firstOffset);
  return undefined;
}

/** Retries while a worker restarts: programs must not lose their terminals for that. */
async function retryUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof NacreError && error.code === "unavailable";
      if (!isAway || tries === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Listed exited terminals; older ones are only found by id. */
const MAX_EXITED = 1000;

/** A terminal to read, whether it runs here or only its recording is left. */
export type ReadableTerminal = Terminal | EndedTerminal;

type Requester = Parameters<EndedTerminal["reader"]["read"]>[1];

type Importer = TerminalDeps["recordings"]["import"];

export interface DisposeOptions {
  /** Checked for permission when present. */
  readonly by?: CreateOptions["by"] | undefined;
  /** SIGKILL at once; default false. */
  readonly force?: boolean | undefined;
}

/** All terminals of a host: running ones, and exited ones until they are disposed of. */
export class Registry implements AsyncDisposable {
  readonly limits: CreateLimits;
  readonly #deps: TerminalDeps;
  readonly #terminals = new Map<TerminalId, Terminal>();
  /** Off the list, but not ended and recorded yet. */
  readonly #leaving = new Map<TerminalId, { terminal: Terminal; disposed: Promise<void> }>();
  /** Not listed yet, though partly recorded. */
  readonly #launching = new Map<TerminalId, Promise<Terminal>>();
  readonly #listeners = new Listeners();
  #isClosed = false;
  #isDetached = false;

  constructor(deps: TerminalDeps, limits?: Partial<TerminalLimits>) {
    this.#deps = deps;
    this.limits = new CreateLimits(limits);
  }

  /** Includes terminals that ended long ago. */
  get recordings(): TerminalDeps["recordings"] {
    return this.#deps.recordings;
  }

  get defaultShell(): string {
    const { probe, moreShells } = this.#deps.policy;
    return detectShell(probe, moreShells).shell;
  }

  /** Home, or an allowed root. */
  async defaultDirectory(): Promise<string> {
    const { home, allowedRoots } = this.#deps.policy;
    return (await resolveWorkingDirectory(undefined, { home, allowedRoots })).path;
  }

  /** Leaves nothing behind when refused. */
  async create(asked: TerminalInput, options: CreateOptions): Promise<Terminal> {
    if (this.#isClosed) throw stopping();
    const input = parse(TerminalInputSchema, asked);
    const id = options.id ?? newTerminalId();
    if (this.#launching.has(id)) throw new NacreError("already_exists", `${id} already exists`);
    const place = this.limits.take(input.owner, options.by.scope);
    const launching = this.#launch(input, { ...options, id });
    this.#launching.set(id, launching);
    try {
      const terminal = await launching;
      this.#add(terminal, place);
      return terminal;
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    } finally {
      this.#launching.delete(id);
    }
  }

  /** Adopts what outlived another host; unknown programs are ended, terminals without program are lost. */
  async adopt(options: AdoptOptions): Promise<AdoptionCounts> {
    const { terminals, ...counts } = await adoptTerminals(this.#deps, options);
    for (const terminal of terminals) {
      this.#add(terminal, this.limits.takeAnyway(terminal.row.owner));
    }
    return { adopted: terminals.length, ...counts };
  }

  /** Leaves all programs to the next host; resolves when everything of this one is recorded. */
  async detach(report: (error: unknown) => void): Promise<void> {
    this.#isClosed = true;
    this.#isDetached = true;
    await this.#settled();
    await Promise.all(this.list().map((terminal) => terminal.detach().catch(report)));
    this.#terminals.clear();
  }

  find(id: TerminalId): Terminal | undefined {
    return this.#terminals.get(id);
  }

  /** Throws `terminal_not_found`. */
  get(id: TerminalId): Terminal {
    this.#requireHere();
    const terminal = this.#terminals.get(id);
    if (terminal) return terminal;
    throw new NacreError("terminal_not_found", `no terminal has the id ${id}`, {
      field: "id",
    });
  }

  /** A terminal with only a recording has ended, which is another error than unknown. */
  async require(id: TerminalId): Promise<Terminal> {
    this.#requireHere();
    if (this.#launching.has(id)) await this.whenLaunched(id);
    const terminal = this.#terminals.get(id);
    if (terminal) return terminal;
    const isRecorded = (await this.#deps.recordings.readTerminal(id)) !== undefined;
    if (!isRecorded) throw terminalNotFound(id);
    throw new NacreError("terminal_exited", `${id} is no longer running here`, {
      field: "id",
      suggestion: "Read its recording; create a terminal to run something new.",
    });
  }

  /** In order of creation. */
  list(): Terminal[] {
    return [...this.#terminals.values()];
  }

  onChange(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  summaries(): TerminalSummary[] {
    return this.list().map((terminal) => terminal.summary);
  }

  /** Also a terminal with only a recording. */
  async read(id: TerminalId, types?: EntryTypes, requester?: Requester): Promise<TerminalData> {
    return await (await this.readable(id)).reader.read(types, requester);
  }

  /** Also a terminal with only a recording; otherwise `terminal_not_found`. */
  async readable(id: TerminalId): Promise<ReadableTerminal> {
    this.#requireHere();
    if (this.#launching.has(id)) await this.whenLaunched(id);
    const terminal = this.find(id) ?? this.#leaving.get(id)?.terminal;
    return terminal ?? (await EndedTerminal.open(id, this.#deps));
  }

  /** Creates an ended terminal, and draws its last screen so that readers need not wait. */
  async import(input: Parameters<Importer>[0], requester?: Requester): ReturnType<Importer> {
    const imported = await this.#deps.recordings.import(input);
    const terminal = await EndedTerminal.open(imported.id, this.#deps);
    // What cannot be drawn now is drawn by who reads it, and told to them.
    await terminal.reader.readScreen("text", undefined, requester).catch(() => undefined);
    return imported;
  }

  /** Also for a terminal with only a recording. */
  async findRow(id: TerminalId): Promise<TerminalStorage | undefined> {
    return this.find(id)?.row ?? (await this.#deps.recordings.readTerminal(id));
  }

  /** The recording stays. */
  async dispose(id: TerminalId, { by, force = false }: DisposeOptions = {}): Promise<void> {
    const terminal = this.get(id);
    if (by) terminal.permissions.requireDisposable(by);
    this.#terminals.delete(id);
    this.#listeners.call();
    const disposed = force ? terminal.close(0) : terminal.close();
    this.#leaving.set(id, { terminal, disposed });
    try {
      await disposed;
    } catch (error) {
      // What still runs must stay listed to be ended once more.
      if (terminal.isRunning) this.#list(terminal);
      throw error;
    } finally {
      this.#leaving.delete(id);
    }
  }

  /** With its recording; returns the number of entries. */
  async delete(id: TerminalId, how?: DisposeOptions): Promise<number> {
    await this.#end(id, how);
    return await this.#deps.recordings.delete(id);
  }

  /** Also makes its data unreadable in the files; idempotent. */
  async purge(id: TerminalId, how?: DisposeOptions): Promise<number> {
    await this.#end(id, how);
    return await this.#deps.recordings.purge(id);
  }

  /** Resolves when nothing writes to the recording any more; also where another caller closes the terminal already. */
  async #end(id: TerminalId, how?: DisposeOptions): Promise<void> {
    if (this.#launching.has(id)) await this.whenLaunched(id);
    if (this.#terminals.has(id)) await this.dispose(id, how);
    else await this.#leaving.get(id)?.disposed;
  }

  /** The owner is gone; terminals marked to be kept stay. */
  async disposeOwner(owner: TerminalOwnerReference): Promise<TerminalId[]> {
    const isMeant = ({ row }: Terminal): boolean =>
      row.owner.entityName === owner.entityName && row.owner.entityId === owner.entityId;
    return (await this.disposeAll(isMeant)).disposed;
  }

  /** The session is gone; terminals marked to be kept stay. */
  async disposeSession(session: string): Promise<TerminalId[]> {
    return (await this.disposeAll((terminal) => isDrivenBy(terminal, session))).disposed;
  }

  /** In parallel; skips those to be kept, and those the caller may not end. */
  async disposeAll(
    isMeant: (terminal: Terminal) => boolean,
    how: DisposeOptions = {},
  ): Promise<Record<"disposed" | "kept", TerminalId[]>> {
    // Includes terminals that are being created.
    await Promise.allSettled(this.#launching.values());
    const { disposed = [], kept = [] } = Object.groupBy(this.list().filter(isMeant), (terminal) =>
      terminal.options.whenOwnerEnds !== "keep" && isDisposable(terminal, how)
        ? "disposed"
        : "kept",
    );
    await Promise.all(disposed.map(({ id }) => this.dispose(id, how)));
    return { disposed: disposed.map(({ id }) => id), kept: kept.map(({ id }) => id) };
  }

  /** In parallel; resolves when they are gone and recorded. */
  async close(graceMs?: number): Promise<void> {
    this.#isClosed = true;
    // A terminal being created notices that it comes too late, and cleans up.
    await Promise.allSettled(this.#launching.values());
    const terminals = this.list();
    this.#terminals.clear();
    const closing = terminals.map((terminal) => terminal.close(graceMs));
    const [results] = await Promise.all([Promise.allSettled(closing), this.#settled()]);
    const failed = results.filter((result) => result.status === "rejected");
    if (failed.length > 0) throw new AggregateError(failed.map(({ reason }) => reason as unknown));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #settled(): Promise<void> {
    const leaving = Array.from(this.#leaving.values(), ({ disposed }) => disposed);
    await Promise.allSettled([...this.#launching.values(), ...leaving]);
  }

  /** Terminals handed over are not lost; ask the next host. */
  #requireHere(): void {
    if (this.#isDetached) throw stopping();
  }

  /** Resolves when the creation succeeded or failed: by its recording alone the terminal would look ended. */
  async whenLaunched(id: TerminalId): Promise<void> {
    // The creator gets the error.
    await this.#launching.get(id)?.catch(() => undefined);
  }

  #list(terminal: Terminal): void {
    this.#terminals.set(terminal.id, terminal);
    this.#listeners.call();
  }

  #add(terminal: Terminal, place: Disposable): void {
    this.#list(terminal);
    terminal.onChange(() => this.#listeners.call());
    void terminal.ended.then(() => {
      place[Symbol.dispose]();
      this.#forgetOldest();
    });
  }

  async #launch(input: TerminalInput, options: CreateOptions): Promise<Terminal> {
    const terminal = await launchTerminal(input, options, this.#deps);
    if (!this.#isClosed) return terminal;
    await terminal.close(0);
    await this.#deps.recordings.delete(terminal.id);
    throw stopping();
  }

  #forgetOldest(): void {
    const { observer } = this.#deps;
    const exited = this.list().filter(({ isRunning }) => !isRunning);
    for (const terminal of exited.slice(0, Math.max(0, exited.length - MAX_EXITED))) {
      this.dispose(terminal.id).catch((error: unknown) => observer.handleProblem(terminal, error));
    }
  }
}

export const isDrivenBy = ({ claims: { state } }: Terminal, session: string): boolean =>
  state.claim.kind === "session" && state.claim.session === session;

const isDisposable = (terminal: Terminal, { by }: DisposeOptions): boolean =>
  by === undefined || terminal.permissions.mayDispose(by);

/** The same for a terminal that does not exist and one that is not visible. */
export const terminalNotFound = (id: TerminalId, field = "id"): NacreError =>
  new NacreError("terminal_not_found", `no terminal has the id ${id}`, { field });

const stopping = (): NacreError => new NacreError("unavailable", "the host is stopping");
