// WebSocket frames that no client sends.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { DaemonProcess } from "../support/daemon-process.ts";
import { closeCodeIn, frameOf, OPCODES } from "../support/websocket-frames.ts";
import type { DaemonPlan } from "./plan.ts";
import { openWebSocket } from "./raw-connection.ts";

/** One attack: what is sent, and how the host must close the connection. */
interface SocketBomb {
  readonly name: string;
  readonly code: number;
  readonly frames: () => Iterable<Uint8Array>;
}

const GIGABYTE = 1024 ** 3;

/** So many small frames are sent at once. */
const AT_ONCE = 1000;

function* repeated(first: Buffer | undefined, frame: Buffer, count: number): Generator<Buffer> {
  if (first) yield first;
  const many = Buffer.concat(Array.from({ length: AT_ONCE }, () => frame));
  for (let sent = 0; sent < count; sent += AT_ONCE) yield many;
}

const byte = Buffer.from("x");
const open = { fin: false } as const;

/** All attacks, of the size that is planned. */
const bombsOf = ({ fragments, pings }: DaemonPlan): readonly SocketBomb[] => [
  {
    name: "fragments",
    code: 1008,
    frames: () => repeated(frameOf(OPCODES.binary, byte, open), frameOf(0, byte, open), fragments),
  },
  {
    name: "empty fragments",
    code: 1008,
    frames: () =>
      repeated(
        frameOf(OPCODES.binary, Buffer.alloc(0), open),
        frameOf(0, Buffer.alloc(0), open),
        fragments,
      ),
  },
  {
    name: "a gigabyte by its own words",
    code: 1009,
    frames: () => [frameOf(OPCODES.binary, Buffer.alloc(16), { declared: GIGABYTE })],
  },
  {
    name: "reserved bits",
    code: 1002,
    frames: () => [frameOf(OPCODES.binary, byte, { reserved: 4 })],
  },
  {
    name: "no mask",
    code: 1002,
    frames: () => [frameOf(OPCODES.binary, byte, { isMasked: false })],
  },
  {
    name: "pings",
    code: 1008,
    frames: () => repeated(undefined, frameOf(OPCODES.ping, byte), pings),
  },
];

/** Makes all attacks on the sockets of a terminal; throws unless each is answered by closing its connection for the right reason. */
export async function throwSocketBombs(
  daemon: DaemonProcess,
  id: string,
  plan: DaemonPlan,
): Promise<number> {
  const paths = [`/api/terminals/${id}/connect?cursor=-1`, `/api/terminal/ws?sessionId=${id}`];
  const attacks = paths.flatMap((path) => bombsOf(plan).map((bomb) => ({ path, bomb })));
  const codes = await Promise.all(
    attacks.map(async ({ path, bomb }) => await codeOf(await openWebSocket(daemon, path), bomb)),
  );
  const asTold = (codesOf: readonly (number | undefined)[]) =>
    attacks.map(({ bomb, path }, at) => `${path.slice(0, 14)} ${bomb.name}: ${codesOf[at]}`);
  assert.deepEqual(asTold(codes), asTold(attacks.map(({ bomb }) => bomb.code)));
  return attacks.length;
}

/** Sends everything, as far as it is taken; resolves with the code of the host's close frame. */
async function codeOf(socket: Socket, { frames }: SocketBomb): Promise<number | undefined> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk)).resume();
  const closed = once(socket, "close");
  let isClosed = false;
  closed.finally(() => void (isClosed = true)).catch(() => undefined);
  for (const bytes of frames()) {
    if (isClosed) break;
    if (!socket.write(bytes)) await Promise.race([once(socket, "drain"), closed]);
  }
  await closed;
  return closeCodeIn(Buffer.concat(chunks));
}
