import type { Socket } from "node:net";
import { NacreError } from "@nacre/contracts/plain";
import type { PeerReader } from "../auth/peer.ts";
import {
  checkSignal,
  checkSize,
  type KillReport,
  type PtyDriver,
  type PtyLaunch,
  type SignalTarget,
} from "../pty/pty.ts";
import { Connection, type KeeperAnswer } from "./connection.ts";
import { FrameSocket } from "./frame-socket.ts";
import { encodeFailure } from "./frames.ts";
import { KeptPty, type PtyKind } from "./kept-pty.ts";
import type { ProgramList } from "./program-list.ts";
import { type Fields, readBoolean, readCount, readLaunch, readString } from "./wire-fields.ts";
import { RingBudget } from "./output-ring.ts";

/** How long a keeper without programs waits for a daemon. */
const MAX_QUIET_MS = 10 * 60_000;

/** How long unrecorded output of ended programs waits for a daemon. */
const MAX_UNREAD_MS = 24 * 60 * 60_000;

/** Never while a program runs. */
export function mayEnd(ptys: readonly { readonly isOver: boolean }[], quietMs: number): boolean {
  if (ptys.some(({ isOver }) => !isOver)) return false;
  return quietMs >= (ptys.length === 0 ? MAX_QUIET_MS : MAX_UNREAD_MS);
}

type RequestHandler = (
  keeper: Keeper,
  connection: Connection,
  asked: KeeperRequest,
) => Promise<KeeperAnswer>;

const EMPTY_ANSWER: KeeperAnswer = { result: {} };

const HANDLERS: Readonly<Record<string, RequestHandler>> = {
  async spawn(keeper, connection, { fields }) {
    const kept = await keeper.spawn(readKind(fields["kind"]), readLaunch(fields["launch"]));
    return { result: describePty(kept), afterwards: () => kept.attach(connection, 0) };
  },

  async list(keeper) {
    const running = keeper.ptys.filter(({ isAttached }) => !isAttached);
    return { result: { ptys: running.map(describeRunningPty) } };
  },

  async adopt(keeper, connection, { fields }) {
    const id = readString(fields["id"], "id");
    const fromOffset = readCount(fields["fromOffset"], "fromOffset");
    const kept = keeper.ptys.find(({ pty }) => pty.id === id);
    if (!kept) throw new NacreError("terminal_not_found", `no running Pty ${id}`);
    if (kept.isAttached) throw new NacreError("conflict", `Pty ${id} is read already`);
    kept.checkOffset(fromOffset);
    return { result: describePty(kept), afterwards: () => kept.attach(connection, fromOffset) };
  },

  async resize(keeper, _connection, { number, fields }) {
    await keeper.find(number).resize(checkSize(fields["size"]));
    return EMPTY_ANSWER;
  },

  async state(keeper, _connection, { number }) {
    return { result: await keeper.find(number).pty.state() };
  },

  async writeIn(keeper, _connection, { number, fields }) {
    const { pty } = keeper.find(number);
    const echo = readBoolean(fields["echo"], "echo");
    const canonical = readBoolean(fields["canonical"], "canonical");
    const bytes = Buffer.from(readString(fields["data"], "data"), "base64");
    if (!pty.writeIn) throw new NacreError("unsupported", "this Pty has no modes");
    return { result: { written: await pty.writeIn({ echo, canonical }, bytes) } };
  },

  async signal(keeper, _connection, { number, fields }) {
    const signal = readString(fields["signal"], "signal");
    const target = readString(fields["target"], "target");
    checkSignal(signal, target);
    await keeper.find(number).pty.signal(signal as NodeJS.Signals, target as SignalTarget);
    return EMPTY_ANSWER;
  },

  async endInput(keeper, _connection, { number }) {
    await keeper.find(number).pty.endInput?.();
    return EMPTY_ANSWER;
  },

  async kill(keeper, _connection, { number, fields }) {
    return { result: await keeper.find(number).pty.kill(readMs(fields["graceMs"])) };
  },

  async processes(keeper, _connection, { number }) {
    return { result: { processes: (await keeper.find(number).pty.processes?.()) ?? [] } };
  },

  async forget(keeper, _connection, { number }) {
    await keeper.forget(keeper.find(number));
    return EMPTY_ANSWER;
  },

  async stop(keeper, _connection, { fields }) {
    const result = await keeper.endPrograms(readMs(fields["graceMs"]));
    return { result, afterwards: () => void keeper.close() };
  },
};

export async function answerRequest(
  keeper: Keeper,
  connection: Connection,
  asked: KeeperRequest,
): Promise<KeeperAnswer> {
  const call = readString(asked.fields["call"], "call");
  const handler = Object.hasOwn(HANDLERS, call) ? HANDLERS[call] : undefined;
  // A newer daemon may ask for more; the connection continues.
  if (!handler) throw new NacreError("unsupported", `this keeper does not know the call ${call}`);
  return await handler(keeper, connection, asked);
}

function readKind(kind: unknown): PtyKind {
  if (kind === "terminal" || kind === "pipes") return kind;
  throw new NacreError("invalid_argument", `unknown kind ${String(kind)}`, { field: "kind" });
}

function readMs(value: unknown): number {
  if (typeof value === "number" && value >= 0) return value;
  throw new NacreError("invalid_argument", `${String(value)} is not a time`, { field: "graceMs" });
}

const describePty = ({ number, kind, pty }: KeptPty) => ({
  number,
  kind,
  id: pty.id,
  leader: pty.leader,
  device: pty.device,
  limits: pty.limits,
});

const describeRunningPty = (kept: KeptPty) => {
  const { size, firstOffset, exit, memo } = kept;
  return { ...describePty(kept), size, firstOffset, exit, memo };
};

export interface KeeperRequest {
  readonly number: number;
  readonly fields: Fields;
}

export interface KeeperDeps {
  readonly drivers: Readonly<Record<PtyKind, PtyDriver>>;
  readonly version: string;
  readonly readPeer: PeerReader;
  readonly handleTyped: () => void;
  readonly report: (error: unknown) => void;
  /** Persists the programs, for whoever comes after a killed keeper. */
  readonly programs?: Pick<ProgramList, "add" | "remove" | "clear">;
  answer(keeper: Keeper, connection: Connection, asked: KeeperRequest): Promise<KeeperAnswer>;
  /** The programs have ended: another keeper may take over the socket. */
  leavePlace(): void;
  handleStopped(): void;
}

/** The PTYs of one state directory, whoever is connected. */
export class Keeper {
  readonly #deps: KeeperDeps;
  readonly #ptys = new Map<number, KeptPty>();
  readonly #total = new RingBudget();
  #lastNumber = 0;
  #connection: Connection | undefined;
  /** Counts connections; the newest one that introduced itself is served. */
  #lastPlace = 0;
  #servedPlace = 0;
  #isStopping = false;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  get ptys(): readonly KeptPty[] {
    return [...this.#ptys.values()];
  }

  /** Accepts only our own user. It takes over after its hello. */
  serve(socket: Socket): void {
    const wire = new FrameSocket(socket);
    // `close` follows and is handled.
    socket.on("error", () => undefined);
    const uid = this.#deps.readPeer(socket)?.uid;
    if (uid === undefined || uid !== process.getuid?.()) {
      const who = uid === undefined ? "an unknown user" : `user ${uid}`;
      wire.refuse(encodeFailure(new NacreError("forbidden", `${who} does not own this keeper`)));
      socket.resume();
      return;
    }
    const place = ++this.#lastPlace;
    const connection: Connection = new Connection(wire, {
      version: this.#deps.version,
      handleHello: () => this.#takeOver(connection, place),
      handleClose: () => this.#lose(connection),
      findPty: (number) => this.#ptys.get(number),
      answer: (number, fields) => this.#deps.answer(this, connection, { number, fields }),
      handleTyped: this.#deps.handleTyped,
      report: this.#deps.report,
    });
  }

  /** Kept from here on, whoever asked for it. */
  async spawn(kind: PtyKind, launch: PtyLaunch): Promise<KeptPty> {
    if (this.#isStopping) throw aboutToEndError();
    const pty = await this.#deps.drivers[kind].spawn(launch);
    if (this.#isStopping) {
      // Nobody would end it any more.
      await pty[Symbol.asyncDispose]();
      throw aboutToEndError();
    }
    const number = ++this.#lastNumber;
    const kept = new KeptPty(pty, { number, kind, launch, total: this.#total });
    this.#ptys.set(kept.number, kept);
    this.#deps.programs?.add(pty);
    return kept;
  }

  /** An unknown number means that the PTY has ended. */
  find(number: number): KeptPty {
    const kept = this.#ptys.get(number);
    if (kept) return kept;
    throw new NacreError("terminal_exited", `Pty ${number} is not kept any more`);
  }

  async forget(kept: KeptPty): Promise<void> {
    await kept.dispose();
    this.#ptys.delete(kept.number);
    this.#deps.programs?.remove(kept.pty.id);
    this.#closeIfUseless();
  }

  /** Nothing can be started any more. */
  async endPrograms(graceMs: number): Promise<Pick<KillReport, "ended" | "survivors">> {
    this.#isStopping = true;
    const reports = await Promise.all(this.ptys.map(({ pty }) => pty.kill(graceMs)));
    return {
      ended: reports.reduce((sum, { ended }) => sum + ended, 0),
      survivors: reports.flatMap(({ survivors }) => survivors),
    };
  }

  /** After the daemon got everything that was sent to it. */
  async close(): Promise<void> {
    this.#deps.leavePlace();
    // Unrecorded output counts as lost.
    if (this.#ptys.size === 0) this.#deps.programs?.clear();
    await this.#connection?.close();
    this.#deps.handleStopped();
  }

  /**
   * A replaced daemon must not go on driving; nor may one take over whose hello arrives late, such as one killed since.
   */
  #takeOver(connection: Connection, place: number): void {
    if (place < this.#servedPlace) throw takenOverError();
    this.#servedPlace = place;
    const before = this.#connection;
    this.#connection = connection;
    before?.refuse(takenOverError());
    this.#detachAll();
  }

  #lose(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#detachAll();
    this.#closeIfUseless();
  }

  /** Without a daemon and anything kept, the keeper exits; the next daemon starts another. */
  #closeIfUseless(): void {
    if (this.#connection || this.#ptys.size > 0 || this.#isStopping) return;
    this.#isStopping = true;
    void this.close();
  }

  #detachAll(): void {
    for (const kept of this.#ptys.values()) kept.detach();
  }
}

const takenOverError = (): NacreError =>
  new NacreError("conflict", "another daemon has taken over the keeper");

const aboutToEndError = (): NacreError =>
  new NacreError("unavailable", "the keeper is about to end");
