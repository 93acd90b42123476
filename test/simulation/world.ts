// One run: the machine, its clients and the reference, all from one seed.
import { createHash } from "node:crypto";
import { type Caller, CallerId, ClientId, type Scope, TerminalId } from "@nacre/contracts";
import type { PtyDriver } from "../../packages/host/src/pty/pty.ts";
import { Checks } from "./checks.ts";
import { SimClient } from "./client.ts";
import { FakeDisk } from "./fake-disk.ts";
import { Machine } from "./machine.ts";
import { Model } from "./model.ts";
import type { ModelTerminal } from "./model-terminal.ts";
import { alterDriver, type Plant } from "./plants.ts";
import { Scheduler } from "./scheduler.ts";

/** What a run is made of beside its seed. */
export interface WorldOptions {
  readonly seed: number;
  readonly descriptor: number;
  /** A fault that is put in on purpose. */
  readonly plant?: Plant | undefined;
}

const callerOf = (name: string, scope: Scope): Caller => ({
  id: CallerId.parse(name),
  scope,
  clientId: ClientId.parse(`client-${name}`),
});

/** Everything of one run. */
export class World {
  readonly scheduler: Scheduler;
  readonly checks = new Checks();
  readonly model: Model;
  readonly disk: FakeDisk;
  readonly machine: Machine;
  readonly clients: readonly SimClient[];
  /** Whoever only looks. */
  readonly reader: SimClient;
  /** The steps so far, in words. */
  readonly steps: string[] = [];
  readonly plant: Plant | undefined;
  /** How often the power was cut and something was lost. */
  powerCuts = 0;
  readonly #seed: number;
  /** How likely rare things are in this run: in some nothing goes wrong. */
  readonly #trouble: number;
  /** How the network is in this run. */
  readonly #latencyMs: number;
  #areFaultsOver = false;
  #lastTerminal = 0;

  constructor({ seed, descriptor, plant }: WorldOptions) {
    this.#seed = seed;
    this.plant = plant;
    const scheduler = new Scheduler(seed);
    this.scheduler = scheduler;
    this.#trouble = scheduler.pick([0, 0.3, 1, 3]);
    this.#latencyMs = scheduler.pick([0.5, 5, 40]);
    const { checks } = this;
    const model = new Model(checks, (id, sequence) => this.disk.isDurable(id, sequence));
    this.model = model;
    const buggify = (probability: number): boolean => this.buggify(probability);
    const disk = new FakeDisk(scheduler.chance(0.5), model, () => {
      if (!buggify(0.003)) return undefined;
      const fault = scheduler.chance(0.5) ? "before" : "after";
      checks.sometimes(fault === "before" ? "commitFailedBefore" : "commitFailedAfterwards");
      return fault;
    });
    this.disk = disk;
    if (plant?.syncsLate) disk.syncLater = (sync) => void scheduler.after(50, sync);
    const alter = (driver: PtyDriver): PtyDriver => alterDriver(driver, plant, this);
    const machine = new Machine({ scheduler, disk, model, checks, descriptor, buggify, alter });
    this.machine = machine;
    this.clients = ["ann", "bob", "cleo"].map(
      (name, index) => new SimClient(this, index + 1, callerOf(name, "operator")),
    );
    this.reader = new SimClient(this, 9, callerOf("eve", "readOnly"));
  }

  /** One more for what is asked when a feed goes on; only a planted fault has another than 0. */
  get resumeError(): number {
    return this.plant?.resumeError ?? 0;
  }

  /** Whether the run is decided. */
  readonly isOver = (): boolean => this.checks.violation !== undefined;

  /** Whether something rare happens now. */
  buggify(probability: number): boolean {
    if (this.#areFaultsOver) return false;
    return this.scheduler.chance(probability * this.#trouble);
  }

  /** How long a message is on its way over the network. */
  networkMs(): number {
    return this.scheduler.random() * this.#latencyMs * (this.buggify(0.01) ? 20 : 1);
  }

  /** From here on nothing goes wrong any more. */
  heal(): void {
    this.#areFaultsOver = true;
    this.disk.isFull = false;
    this.disk.isBroken = false;
  }

  /** Whether a secret was asked for in this terminal: from then on nothing else is typed there. */
  isSecretOpen(terminal: ModelTerminal): boolean {
    return terminal.isSecretOpen;
  }

  openSecret(terminal: ModelTerminal): void {
    terminal.isSecretOpen = true;
  }

  /** A power cut took what nobody had promised: what anybody knew of it counts no more. */
  forgetUnsynced(): void {
    this.powerCuts++;
    this.model.forgetShown();
    this.model.reload(this.disk.image);
    for (const deed of this.model.audited.values()) deed.least = Math.min(deed.least, deed.kept);
    for (const client of this.everyone) {
      client.views.clear();
      client.epochs.clear();
    }
  }

  /** Stands for everything that is on the disk. */
  digest(): string {
    const hash = createHash("sha256");
    const { image } = this.disk;
    for (const id of image.listTerminalIds({ limit: 1e6 })) {
      hash.update(id).update(image.readHead(id)?.hash ?? new Uint8Array());
    }
    return hash.update(String(this.scheduler.eventCount)).digest("hex").slice(0, 16);
  }

  newTerminalId(): TerminalId {
    return TerminalId.parse(`terminal:s${this.#seed}-${++this.#lastTerminal}`);
  }

  /** Terminals whose program runs, as far as anybody outside can know. */
  get running(): readonly ModelTerminal[] {
    return [...this.model.terminals.values()].filter(
      ({ program, isDeleted, id }) =>
        !isDeleted && program && !program.hasEnded && this.machine.programs.get(id) === program,
    );
  }

  get everyone(): readonly SimClient[] {
    return [...this.clients, this.reader];
  }

  pass(durationMs: number): void {
    this.scheduler.pass(durationMs, this.isOver);
  }
}
