import { NacreError } from "@nacre/contracts/plain";
import { checkSize } from "../pty/check-size.ts";
import { checkSignal, type SignalTarget } from "../pty/pty.ts";
import type { KeeperAnswer, Connection } from "./connection.ts";
import type { KeeperRequest, Keeper } from "./keeper.ts";
import type { KeptPty, PtyKind } from "./kept-pty.ts";
import { readCount, readBoolean, readLaunch, readString } from "./read-fields.ts";

type RequestHandler = (
  keeper: Keeper,
  connection: Connection,
  asked: KeeperRequest,
) => Promise<KeeperAnswer>;

const EMPTY_ANSWER: KeeperAnswer = { result: {} };

/** What the keeper can be asked for. */
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

/** Does what a daemon asks for. */
export async function answerRequest(
  keeper: Keeper,
  connection: Connection,
  asked: KeeperRequest,
): Promise<KeeperAnswer> {
  const call = readString(asked.fields["call"], "call");
  const handler = Object.hasOwn(HANDLERS, call) ? HANDLERS[call] : undefined;
  // A newer daemon may ask for more; the connection goes on.
  if (!handler) throw new NacreError("unsupported", `this keeper knows no call ${call}`);
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
