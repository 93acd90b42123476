// A viewer in a process of its own, over either wire: sees a flood to its end, or presses keys and waits for their echo.
import { WebSocket } from "ws";
import { z } from "zod";

const [wire = "", work = "", address = "", token = "", place = "", end = ""] =
  process.argv.slice(2);

/** What a viewer hears. */
interface Hearing {
  /** The connection shows the terminal from now on. */
  open(): void;
  shown(text: string, bytes: number): void;
  /** What follows stands for what was missed. */
  resynced(): void;
}

/** How a viewer types. */
type Type = (text: string) => void;

const headers = { authorization: `Bearer ${token}` };

const Control = z.object({ type: z.string() });

function openRaw(hearing: Hearing): Type {
  const socket = new WebSocket(`${address}/api/terminals/${place}/connect?control=1&cursor=-1`, {
    headers,
  });
  let isOpen = false;
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (isBinary) {
      hearing.shown(data.toString("latin1"), data.byteLength);
      return;
    }
    const { type } = Control.parse(JSON.parse(data.toString()));
    if (type === "snapshot") hearing.resynced();
    if (type !== "cursor" || isOpen) return;
    isOpen = true;
    hearing.open();
  });
  return (text) => socket.send(Buffer.from(text));
}

/** What a host says that matters here; the data of a flood is not looked at more than a client does. */
interface Said {
  readonly id?: number;
  readonly params?: { readonly action: { readonly type: string; readonly data?: string } };
}

function openAhp(hearing: Hearing): Type {
  const socket = new WebSocket(`${address}/ahp`, { headers });
  let clientSeq = 0;
  const say = (message: object): void =>
    socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  socket.on("open", () => {
    const params = {
      channel: "ahp-root://",
      protocolVersions: ["1.0.0"],
      clientId: `viewer-${process.pid}`,
      initialSubscriptions: [place],
    };
    say({ id: 1, method: "initialize", params });
  });
  socket.on("message", (data: Buffer) => {
    const said = JSON.parse(data.toString()) as Said;
    if (said.id === 1) hearing.open();
    const action = said.params?.action;
    if (action?.type === "terminal/cleared") hearing.resynced();
    if (action?.type !== "terminal/data" || action.data === undefined) return;
    // Everything shown here is ASCII.
    hearing.shown(action.data, action.data.length);
  });
  return (data) => {
    const action = { type: "terminal/input", data };
    say({
      method: "dispatchAction",
      params: { channel: place, clientSeq: (clientSeq += 1), action },
    });
  };
}

const open = wire === "raw" ? openRaw : openAhp;
const tell = (message: object): void => void process.send?.(message);

/** Longer than what the program says at its end. */
const TAIL_LENGTH = 100;

/** Counts what is shown until the end is. */
function watchFlood(): void {
  let bytes = 0;
  let resyncs = 0;
  let tail = "";
  open({
    open: () => tell({ kind: "open" }),
    shown: (text, length) => {
      bytes += length;
      tail = (tail + text.slice(-TAIL_LENGTH)).slice(-TAIL_LENGTH);
      if (tail.includes(end)) tell({ kind: "flood", bytes, resyncs });
    },
    resynced: () => void (resyncs += 1),
  });
}

/** The first keys only compile the code. */
const WARM_UP_KEYS = 100;

/** Presses so many keys, each after the echo of the one before. */
function pressKeys(keys: number): void {
  const times: number[] = [];
  let pressed = 0;
  let pressedAt = 0;
  const press = (): void => {
    pressed += 1;
    pressedAt = performance.now();
    type("x");
  };
  const type = open({
    open: press,
    shown: () => {
      if (pressed > WARM_UP_KEYS) times.push(performance.now() - pressedAt);
      if (times.length < keys) press();
      else tell({ kind: "keys", times });
    },
    resynced: () => undefined,
  });
}

process.on("disconnect", () => process.exit());
if (work === "flood") watchFlood();
else pressKeys(Number(end));
