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

/** Everything has a default; without a directory everything is kept in memory. */
export interface HostOptions extends Omit<RecordingsOptions, "handleEntry" | "onWorkerExit"> {
  readonly driver?: PtyDriver | undefined;
  /** For programs without a terminal. */
  readonly pipes?: PtyDriver | undefined;
  readonly policy?: LaunchPolicy | undefined;
  readonly limits?: Partial<TerminalLimits> | undefined;
  readonly reaping?: ReaperPolicy | undefined;
  /** Programs wait while nothing can be recorded; default: they go on, and a gap records the loss. */
  readonly strict?: boolean | undefined;
  /** Default: with the recordings. */
  readonly audit?: AuditLog | undefined;
  /** Called for each record, also one that cannot be kept. */
  readonly handleAudit?: ((record: NewAuditRecord) => void) | undefined;
  /** Absent: none. */
  readonly tokens?: TokenStore | undefined;
  readonly tickets?: TicketStore | undefined;
  /** Adds to or replaces what the process tells; called each time. */
  readonly facts?: (() => Partial<HostFacts>) | undefined;
  readonly handleTyped?: (() => void) | undefined;
  /** Why terminals of an earlier host are lost; default: that host ended. */
  readonly lostReason?: LostReason | undefined;
  /** Terminals that were adopted or lost, and orphans that were ended. */
  handleAdopted?(found: AdoptionCounts): void;
  handleReap?(terminalId: TerminalId, reason: ReapReason): void;
  /** A worker ended by itself, such as by a fault; it is restarted. */
  readonly onWorkerExit?: ((part: string, error: Error) => void) | undefined;
  /** Something failed that no caller waits for. */
  handleProblem?(terminalId: TerminalId | undefined, error: unknown): void;
}

/** The embedding program, where a call names no caller. */
export const LOCAL_CALLER: Caller = {
  id: CallerId.parse("local"),
  scope: "operator",
  clientId: ClientId.parse("local"),
};

export const VERSION = "0.1.0";

export const PROTOCOL_VERSIONS = ["1"];

/** Terminals for a program in the same process: everything the daemon has, without its transports. */
export class Host implements AsyncDisposable {
  readonly registry: Registry;
  readonly recordings: Recordings;
  readonly screens: Screens;
  readonly bus: Bus;
  readonly audit: AuditLog;
  /** Every operation, checked per caller. */
  readonly operations: Operations;
  /** As its contract declares. */
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

  /** Leaves nothing behind when refused. */
  createTerminal(input: TerminalInput, options: Partial<CreateOptions> = {}): Promise<Terminal> {
    return this.registry.create(input, { by: LOCAL_CALLER, ...options });
  }

  exec(input: ExecInput, by: Caller = LOCAL_CALLER): Promise<ExecResult> {
    return exec(this.registry, input, { by, shell: detectShell(machineProbe()).shell });
  }

  read(id: TerminalId): Promise<TerminalData> {
    return this.registry.read(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Disposing it ends its terminals. */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  await using stack = new AsyncDisposableStack();
  const handleProblem = (terminalId: TerminalId | undefined, error: unknown): void =>
    options.handleProblem?.(terminalId, error);
  // Gaps recorded before there are terminals to notify.
  const early: RecordedEntry[] = [];
  let handleGap = (gap: RecordedEntry): void => void early.push(gap);
  // Later subscribers read the present state.
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
    // Also for those who resume later.
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

/** Adds `handleTyped` to an observer. */
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

/** Also for one that is just being created. */
function insertGap(registry: Registry, entry: RecordedEntry): void {
  const { terminalId } = entry;
  const terminal = registry.find(terminalId);
  if (terminal) return terminal.insert(entry);
  void registry.whenLaunched(terminalId).then(() => registry.find(terminalId)?.insert(entry));
}
