// The simulated machine: a disk, a keeper with its programs, and a daemon made of the real host, each of which can be killed.
import type { Socket } from "node:net";
import type { TerminalId } from "@nacre/contracts";
import { createHost, type Host } from "../../packages/host/src/host.ts";
import { isAbsent, isClosing, KeeperLink } from "../../packages/host/src/keeper/keeper-link.ts";
import { createKeeperDriver } from "../../packages/host/src/keeper/keeper-pty.ts";
import { answerRequest, Keeper } from "../../packages/host/src/keeper/keeper.ts";
import type { PtyDriver } from "../../packages/host/src/pty/pty.ts";
import { IndexStore } from "../../packages/host/src/recording/search/index-store.ts";
import type { MemoryStore } from "../../packages/host/src/store/memory-store.ts";
import type { Checks } from "./checks.ts";
import type { FakeDisk } from "./fake-disk.ts";
import type { Surroundings } from "./fake-globals.ts";
import { FakeProgram } from "./fake-program.ts";
import { FakeSocket } from "./fake-socket.ts";
import { FakeThread } from "./fake-thread.ts";
import type { Model } from "./model.ts";
import { type Scheduler, SimProcess } from "./scheduler.ts";
import { serveThread } from "./serve-thread.ts";

/** What a machine is made of. */
export interface MachineParts {
  readonly scheduler: Scheduler;
  readonly disk: FakeDisk;
  readonly model: Model;
  readonly checks: Checks;
  /** A descriptor that the kernel knows as a unix socket of ours. */
  readonly descriptor: number;
  /** Whether something rare happens now. */
  readonly buggify: (probability: number) => boolean;
  /** Changes how the daemon sees the keeper; only to plant a fault. */
  readonly alter?: ((driver: PtyDriver) => PtyDriver) | undefined;
}

/** In so many runs recordings are searched. */
const SEARCHED_CHANCE = 0.2;

/** What stands for the index where nobody searches. */
const NO_INDEX = new IndexStore(":memory:");

const SHELL = "/bin/bash";

/** A process with what only it can do. */
interface Running {
  readonly process: SimProcess;
}

interface RunningKeeper extends Running {
  readonly keeper: Keeper;
  /** Its ends of the connections to daemons. */
  readonly sockets: FakeSocket[];
}

/** A daemon from its start on; its host is there when it serves. */
export interface RunningDaemon extends Running {
  host: Host | undefined;
  readonly threads: Map<string, FakeThread>;
}

/** One machine, whatever becomes of its processes. */
export class Machine implements Surroundings {
  readonly scheduler: Scheduler;
  readonly files = new Map<string, string>();
  readonly programs = new Map<TerminalId, FakeProgram>();
  /** Said of each daemon: what failed that nobody waited for. */
  readonly problems: string[] = [];
  daemon: RunningDaemon | undefined;
  readonly #parts: MachineParts;
  #keeper: RunningKeeper | undefined;
  /** Whether its recordings are indexed: that costs more than everything else, so only some are. */
  readonly isSearched: boolean;
  #index: IndexStore;
  #lastProgram = 0;
  /** The daemon's end of the newest connection. */
  #wire: FakeSocket | undefined;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.scheduler = parts.scheduler;
    this.isSearched = parts.scheduler.chance(SEARCHED_CHANCE);
    this.#index = this.#newIndex();
  }

  /** The host, while it serves. */
  get host(): Host | undefined {
    return this.daemon?.host;
  }

  /** What is on the disk now. */
  get image(): MemoryStore {
    return this.#parts.disk.image;
  }

  /** The programs that run and are kept now. */
  get keptPrograms(): number {
    return this.#keeper?.keeper.ptys.filter(({ exit }) => !exit).length ?? 0;
  }

  /** Starts a daemon; it serves a little later. */
  startDaemon(): void {
    if (this.daemon) return;
    const daemon: RunningDaemon = {
      process: new SimProcess(),
      host: undefined,
      threads: new Map(),
    };
    this.daemon = daemon;
    this.scheduler.enter(daemon.process, () => {
      this.#open().then(
        (host) => (daemon.host = host),
        (error: unknown) => this.#refuse(error),
      );
    });
  }

  /** Kills the daemon at once; programs go on. */
  killDaemon(): void {
    const { daemon } = this;
    if (!daemon) return;
    daemon.process.kill();
    this.daemon = undefined;
    this.#wire?.destroySoon();
  }

  /** Ends the keeper and with it all programs. */
  killKeeper(): void {
    const keeper = this.#keeper;
    if (!keeper) return;
    keeper.process.kill();
    this.#keeper = undefined;
    this.programs.clear();
    for (const socket of keeper.sockets) socket.destroySoon();
  }

  /** Everything that ran is gone; what is on the disk is left to the disk. */
  cutPower(): void {
    this.killDaemon();
    this.killKeeper();
    this.#parts.model.noteLostKeeper();
    this.#index = this.#newIndex();
  }

  /** Kills a thread of the daemon, if it has one of this name. */
  killThread(name: string): boolean {
    const { daemon } = this;
    const thread = daemon?.threads.get(name);
    if (!daemon || !thread) return false;
    this.scheduler.enter(daemon.process, () => thread.kill());
    return true;
  }

  connect(options: object): Socket {
    const keeper = (this.#keeper ??= this.#startKeeper());
    const { scheduler, descriptor } = this.#parts;
    const latencyMs = (): number => scheduler.random() * (this.#parts.buggify(0.02) ? 40 : 0.6);
    const wire = { scheduler, descriptor, latencyMs };
    const [ours, theirs] = FakeSocket.pair(wire, scheduler.current, keeper.process);
    const onRead: unknown = Reflect.get(options, "onread");
    // The link always reads into its own buffer.
    ours.readInto(onRead as Parameters<FakeSocket["readInto"]>[0]);
    this.#wire = ours;
    keeper.sockets.push(theirs);
    scheduler.after(0.1, () => ours.emit("connect"));
    scheduler.after(0, () => keeper.keeper.serve(theirs as unknown as Socket), keeper.process);
    return ours as unknown as Socket;
  }

  startWorker(file: URL, { workerData }: { readonly workerData?: unknown }): object {
    const { scheduler } = this;
    const name = file.pathname.replace(/^.*\/|\.worker\..*$/g, "");
    const latencyMs = (): number => scheduler.random() * (this.#parts.buggify(0.02) ? 30 : 0.3);
    const thread = new FakeThread({
      scheduler,
      owner: scheduler.current,
      latencyMs,
      serve: (port) => {
        const [index, { isSearched }] = [this.#index, this];
        serveThread({ name, port, workerData }, { ...this.#parts, index, isSearched });
      },
    });
    this.daemon?.threads.set(name, thread);
    return thread;
  }

  async #open(): Promise<Host> {
    const { checks } = this.#parts;
    const link = await this.#link();
    const driver = createKeeperDriver(link);
    return await createHost({
      directory: "/sim",
      driver: this.#parts.alter?.(driver) ?? driver,
      pipes: createKeeperDriver(link, "pipes"),
      policy: {
        probe: {
          platform: "linux",
          arch: "x64",
          env: { PATH: "/bin", SHELL, LANG: "C.UTF-8" },
          isExecutable: (path) => path === SHELL,
          readVersion: () => "",
        },
        home: "/",
        version: "0.1.0",
        allowedRoots: [],
        moreShells: [],
        permittedVariables: [],
      },
      handleState: ({ state }) => checks.sometimes("degraded", state === "degraded"),
      handleAdopted: ({ adopted }) => checks.sometimes("adoptedAfterKill", adopted > 0),
      handleProblem: (_id, error) => void this.problems.push(String(error)),
    });
  }

  /** A keeper that is about to end may still have taken the connection; then there is another. */
  async #link(): Promise<KeeperLink> {
    try {
      return await KeeperLink.connect({ socketPath: "/sim/keeper", version: "0.1.0" });
    } catch (error) {
      if (!isAbsent(error) && !isClosing(error)) throw error;
      return await this.#link();
    }
  }

  #newIndex(): IndexStore {
    return this.isSearched ? new IndexStore(":memory:") : NO_INDEX;
  }

  #refuse(error: unknown): void {
    // A daemon that cannot open its store says so and ends; it is started again later.
    this.problems.push(`start: ${String(error)}`);
    this.killDaemon();
  }

  #startKeeper(): RunningKeeper {
    const { scheduler } = this.#parts;
    const process = new SimProcess();
    const driver: PtyDriver = {
      name: "fake-program",
      spawn: async (launch) => {
        const id = `program-${++this.#lastProgram}`;
        const codeFile = launch.env["NACRE_SHELL_CODE"] ?? "";
        const program = new FakeProgram(id, launch, {
          scheduler,
          owner: process,
          secret: this.files.get(codeFile)?.trim(),
          refuses: () => this.#parts.buggify(0.02),
          handleLine: (one, line) => this.#handleLine(one, line),
          note: (what) => this.#parts.checks.sometimes(what),
        });
        const terminalId = launch.env["NACRE_TERMINAL_ID"] as TerminalId;
        this.programs.set(terminalId, program);
        this.#parts.model.terminal(terminalId).program = program;
        return program;
      },
      list: async () => [],
      adopt: async () => {
        throw new Error("a program is adopted from the keeper");
      },
    };
    const sockets: FakeSocket[] = [];
    const keeper = new Keeper({
      drivers: { terminal: driver, pipes: driver },
      version: "0.1.0",
      readPeer: () => ({ uid: globalThis.process.getuid?.() ?? 0 }),
      report: (error) =>
        this.#parts.checks.always("the keeper does not fail", false, () => String(error)),
      answer: answerRequest,
      leavePlace: () => (this.#keeper = undefined),
      handleTyped: () => undefined,
      handleStopped: () => {
        process.kill();
        for (const socket of sockets) socket.destroySoon();
      },
    });
    return { process, keeper, sockets };
  }

  #handleLine(program: FakeProgram, line: string): void {
    const terminalId = program.launch.env["NACRE_TERMINAL_ID"] as TerminalId;
    this.#parts.model.terminal(terminalId).deliver(line, this.#parts.checks);
  }
}
