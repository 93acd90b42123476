import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Caller,
  CallerId,
  ClientId,
  type ExecInput,
  type ExecResult,
  HOST_ID,
  HostContract,
  type LostReason,
  type NewAuditRecord,
  type StorageInfo,
  type TerminalData,
  type TerminalId,
  type TerminalInput,
} from "@nacre/contracts";
import type { AuditLog } from "./auth/audit.ts";
import { Bus } from "./bus/bus.ts";
import { Operations } from "./operations/operations.ts";
import type { HostFacts, TicketStore, TokenStore } from "./operations/handler.ts";
import { choosePtyDriver } from "./pty/choose-pty-driver.ts";
import { defaultLaunchPolicy, type LaunchPolicy } from "./pty/launch.ts";
import { pipePty } from "./pty/pipe-pty.ts";
import type { PtyDriver } from "./pty/pty.ts";
import { detectShell, machineProbe } from "./pty/shell-detection.ts";
import type { RecordedEntry } from "./recording/recorded-entry.ts";
import { Recordings, type RecordingsOptions } from "./recording/recordings.ts";
import type { TerminalLimits } from "./registry/create-limits.ts";
import { adoptExecs, exec } from "./registry/exec.ts";
import { Reaper, type ReaperPolicy, type ReapReason } from "./registry/reaper.ts";
import { type AdoptionCounts, Registry, TerminalEntity } from "./registry/registry.ts";
import { Screens } from "./screen/screens.ts";
import { Backlog } from "./terminal/appender.ts";
import type { CreateOptions } from "./terminal/launch-terminal.ts";
import { EventPublisher } from "./terminal/event-publisher.ts";
import { QuestionStore } from "./terminal/question-store.ts";
import type { TerminalObserver } from "./terminal/terminal-init.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** How a host is set up; everything has a default, and a host without a directory keeps everything in memory. */
export interface HostOptions extends Omit<RecordingsOptions, "handleEntry" | "onWorkerExit"> {
  readonly driver?: PtyDriver | undefined;
  /** Gives programs pipes instead of a terminal. */
  readonly pipes?: PtyDriver | undefined;
  readonly policy?: LaunchPolicy | undefined;
  readonly limits?: Partial<TerminalLimits> | undefined;
  readonly reaping?: ReaperPolicy | undefined;
  /** Whether programs wait while nothing can be recorded; when absent they go on, and a gap says how much is missing. */
  readonly strict?: boolean | undefined;
  /** Where it is kept who did what; with the recordings when absent. */
  readonly audit?: AuditLog | undefined;
  /** Is told of each audit record, also of one that cannot be kept. */
  readonly handleAudit?: ((record: NewAuditRecord) => void) | undefined;
  /** The tokens by which callers come in; none when absent. */
  readonly tokens?: TokenStore | undefined;
  readonly tickets?: TicketStore | undefined;
  /** What the host says of itself beside, or instead of, what its process tells; asked for each time. */
  readonly facts?: (() => Partial<HostFacts>) | undefined;
  /** Somebody typed into a terminal. */
  readonly handleTyped?: (() => void) | undefined;
  /** Why terminals of an earlier host are lost whose program is gone; because that ended, when absent. */
  readonly lostReason?: LostReason | undefined;
  /** Terminals of an earlier host went on in this one, or did not, and programs that nobody knows were ended. */
  handleAdopted?(found: AdoptionCounts): void;
  /** Is told of each terminal that is disposed of by itself. */
  handleReap?(terminalId: TerminalId, reason: ReapReason): void;
  /** A thread ended by itself, such as by a fault; it is started anew. */
  readonly onWorkerExit?: ((part: string, error: Error) => void) | undefined;
  /** Something failed that nobody waits for. */
  handleProblem?(terminalId: TerminalId | undefined, error: unknown): void;
}

/** The program that embeds the host, where a call does not say who asks. */
export const LOCAL_CALLER: Caller = {
  id: CallerId.parse("local"),
  scope: "operator",
  clientId: ClientId.parse("local"),
};

/** The version of this package. */
export const VERSION = "0.1.0";

/** Versions of the interface that a host speaks. */
export const PROTOCOL_VERSIONS = ["1"];

/** Terminals for a program in the same process: everything the daemon has, without its wires. */
export class Host implements AsyncDisposable {
  readonly registry: Registry;
  readonly recordings: Recordings;
  readonly screens: Screens;
  readonly bus: Bus;
  /** Who did what. */
  readonly audit: AuditLog;
  /** Everything that can be asked for by callers, each as far as it may. */
  readonly operations: Operations;
  /** The Terminal entity, as its contract declares it. */
  readonly Terminal: TerminalEntity;
  readonly #stack: AsyncDisposableStack;

  /** Use `createHost`. */
  constructor(parts: {
    readonly registry: Registry;
    readonly recordings: Recordings;
    readonly screens: Screens;
    readonly bus: Bus;
    readonly audit: AuditLog;
    readonly operations: Operations;
    readonly stack: AsyncDisposableStack;
  }) {
    this.registry = parts.registry;
    this.recordings = parts.recordings;
    this.screens = parts.screens;
    this.bus = parts.bus;
    this.audit = parts.audit;
    this.operations = parts.operations;
    this.#stack = parts.stack;
    this.Terminal = new TerminalEntity(this.registry, LOCAL_CALLER);
  }

  /** Creates a terminal, or refuses and leaves nothing behind. */
  createTerminal(input: TerminalInput, options: Partial<CreateOptions> = {}): Promise<Terminal> {
    return this.registry.create(input, { by: LOCAL_CALLER, ...options });
  }

  /** Runs one command in a recorded terminal of its own. */
  exec(input: ExecInput, by: Caller = LOCAL_CALLER): Promise<ExecResult> {
    return exec(this.registry, input, { by, shell: detectShell(machineProbe()).shell });
  }

  /** A terminal as readers see it, live or ended. */
  read(id: TerminalId): Promise<TerminalData> {
    return this.registry.read(id);
  }

  /** Ends all terminals and closes the store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Opens a host; disposing it ends its terminals. */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  await using stack = new AsyncDisposableStack();
  const handleProblem = (terminalId: TerminalId | undefined, error: unknown): void =>
    options.handleProblem?.(terminalId, error);
  // Gaps that are recorded before there are terminals that could be told of them.
  const early: RecordedEntry[] = [];
  let handleGap = (gap: RecordedEntry): void => void early.push(gap);
  // Whoever comes later reads what is.
  let handleStorage = (_storage: StorageInfo): void => undefined;
  const shellDirectory = await mkdtemp(join(tmpdir(), "nacre-shell-"));
  stack.defer(() => rm(shellDirectory, { recursive: true, force: true }));
  const recordings = stack.use(
    await Recordings.open({
      ...options,
      onWorkerExit: (part, error) => options.onWorkerExit?.(part, error),
      handleStorage: (storage) => {
        options.handleStorage?.(storage);
        handleStorage(storage);
      },
      handleEntry: (entry) => {
        if (entry.type === "gap") handleGap(entry);
      },
    }),
  );
  const screens = stack.use(
    new Screens({ handleEnd: (error) => options.onWorkerExit?.("screen", error) }),
  );
  const bus = stack.use(new Bus());
  const publisher = stack.use(new EventPublisher(bus, handleProblem));
  const questions =
    options.directory === undefined
      ? undefined
      : new QuestionStore(options.directory, (error) => handleProblem(undefined, error));
  const registry = stack.use(
    new Registry(
      {
        driver: options.driver ?? (await choosePtyDriver()),
        pipes: options.pipes ?? pipePty,
        policy: options.policy ?? defaultLaunchPolicy(VERSION),
        recordings,
        screens,
        questions,
        backlog: new Backlog(),
        shellDirectory,
        strict: options.strict,
        observer: withTypingNotice(publisher, options.handleTyped),
      },
      options.limits,
    ),
  );
  const found = await registry.adopt({
    lostReason: options.lostReason ?? "hostEnded",
    report: (error) => handleProblem(undefined, error),
  });
  questions?.retain((id) => registry.find(id) !== undefined);
  handleGap = (gap) => insertGap(registry, gap);
  for (const gap of early) handleGap(gap);
  handleStorage = (storage) => {
    for (const terminal of registry.list()) terminal.noteStorage();
    const event = { entityId: HOST_ID, eventName: "storage.changed" } as const;
    // Who resumes later hears of it, too.
    bus.publish({ contract: HostContract, ...event, payload: storage });
  };
  const reportAdopted = (error: unknown): void => handleProblem(undefined, error);
  adoptExecs(registry, { by: LOCAL_CALLER, handleProblem: reportAdopted });
  if (found.adopted + found.ended + found.lost > 0) options.handleAdopted?.(found);
  stack.use(
    new Reaper({
      registry,
      policy: options.reaping ?? {},
      handleReap: ({ id }, reason) => options.handleReap?.(id, reason),
      handleProblem: (error) => handleProblem(undefined, error),
    }),
  );
  const audit = observeAudit(options.audit ?? createRecordingsAudit(recordings), options);
  const startedAt = new Date().toISOString();
  const operations = new Operations({
    registry,
    bus,
    audit,
    hostFacts: () => ({ ...describeProcess(startedAt), ...options.facts?.() }),
    tokens: options.tokens,
    tickets: options.tickets,
    handleProblem: (error) => handleProblem(undefined, error),
  });
  const parts = { registry, recordings, screens, bus, audit, operations };
  return new Host({ ...parts, stack: stack.move() });
}

/** An observer that also tells that somebody typed. */
const withTypingNotice = (
  observer: TerminalObserver,
  handleTyped?: () => void,
): TerminalObserver => ({
  handleRecorded: (terminal, recorded) => {
    if (recorded.entry.type === "input") handleTyped?.();
    observer.handleRecorded(terminal, recorded);
  },
  handleChange: (terminal) => observer.handleChange(terminal),
  handleProblem: (terminal, error) => observer.handleProblem(terminal, error),
});

const createRecordingsAudit = (recordings: Recordings): AuditLog => ({
  append: (record) => recordings.appendAudit(record),
  list: (page) => recordings.listAudit(page),
});

const observeAudit = (audit: AuditLog, { handleAudit }: HostOptions): AuditLog => ({
  append: (record) => {
    handleAudit?.(record);
    return audit.append(record);
  },
  list: (page) => audit.list(page),
});

const describeProcess = (startedAt: string): HostFacts => ({
  version: VERSION,
  protocolVersions: PROTOCOL_VERSIONS,
  pid: process.pid,
  startedAt,
  platform: process.platform,
  arch: process.arch,
});

/** Tells a terminal of a gap in its recording, also one that is just being created. */
function insertGap(registry: Registry, entry: RecordedEntry): void {
  const { terminalId } = entry;
  const terminal = registry.find(terminalId);
  if (terminal) return terminal.insert(entry);
  void registry.whenLaunched(terminalId).then(() => registry.find(terminalId)?.insert(entry));
}
