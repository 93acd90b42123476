// A viewer in a process of its own, over any of the wires: sees a flood to its end, or presses keys and waits for their echo.
import { setTimeout as wait } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { WebSocket } from "ws";
import { programLaunch } from "../packages/host/src/pty/contract/pty-fixtures.ts";
import { linuxPty } from "../packages/host/src/pty/linux-pty.ts";
import { END, READY, type Told, type ViewerTask } from "./throughput-task.ts";

/** The first keys only compile the code. */
const WARM_UP_KEYS = 50;

/** A person's keys come to a machine that is at rest. */
const BETWEEN_KEYS_MS = 5;

const SIZE = { cols: 80, rows: 24 };

/** What a viewer of ttyd puts before input, and ttyd before output. */
const TTYD_DATA = "0";

/** Sends what is typed. */
type Type = (text: string) => void;

/** What a viewer hears. */
interface Hearing {
  readonly handleOutput: (bytes: Uint8Array) => void;
  /** What follows stands for what was missed. */
  readonly handleResync: () => void;
}

const task = JSON.parse(process.argv[2] ?? "") as ViewerTask;
const tell = (told: Told): void => void process.send?.(told);

function openSocket(handleMessage: (data: Buffer, isBinary: boolean) => void): WebSocket {
  const { address, token, wire } = task;
  const options = { perMessageDeflate: false, headers: { authorization: `Bearer ${token}` } };
  const socket = new WebSocket(address, wire === "ttyd" ? ["tty"] : [], options);
  socket.on("message", handleMessage);
  socket.on("error", (error) => {
    throw error;
  });
  return socket;
}

/** The wire of the page: bytes, and beside them what they are. The terminal has said already that it is ready. */
function openNacre({ handleOutput, handleResync }: Hearing): Type {
  let isOpen = false;
  const socket = openSocket((data, isBinary) => {
    if (isBinary) return handleOutput(data);
    const { type } = JSON.parse(data.toString()) as { readonly type: string };
    if (type === "snapshot") handleResync();
    if (type !== "cursor" || isOpen) return;
    isOpen = true;
    handleOutput(Buffer.from(READY));
  });
  return (text) => socket.send(Buffer.from(text));
}

function openTtyd({ handleOutput }: Hearing): Type {
  const socket = openSocket((data) => {
    if (data[0] === TTYD_DATA.charCodeAt(0)) handleOutput(data.subarray(1));
  });
  socket.on("open", () => {
    const hello = { AuthToken: "", columns: SIZE.cols, rows: SIZE.rows };
    socket.send(Buffer.from(JSON.stringify(hello)));
  });
  return (text) => socket.send(Buffer.from(TTYD_DATA + text));
}

function openPlain({ handleOutput }: Hearing): Type {
  const socket = openSocket(handleOutput);
  return (text) => socket.send(Buffer.from(text));
}

/** A person before a terminal in which a client of tmux runs; the address is that of its server. */
function openTmux({ handleOutput }: Hearing): Type {
  const args = ["-L", task.address, "-f", "/dev/null", "new-session", task.line];
  const started = linuxPty.spawn(programLaunch("/usr/bin/tmux", ...args));
  const read = async (): Promise<void> => {
    const pty = await started;
    for (let chunk = await pty.read(); chunk; chunk = await pty.read(chunk.bytes)) {
      handleOutput(chunk.bytes);
    }
  };
  void read();
  return (text) => void started.then((pty) => pty.write(Buffer.from(text)));
}

const OPEN = { nacre: openNacre, ttyd: openTtyd, plain: openPlain, tmux: openTmux };

/** What a viewer does with what it hears, one phase after the other. */
let handle: (bytes: Uint8Array) => void = () => undefined;
let resyncs = 0;
const type = OPEN[task.wire]({
  handleOutput: (bytes) => handle(bytes),
  handleResync: () => void (resyncs += 1),
});

/** Resolves when a text was shown; what comes with it is let go. */
function whenShown(text: string): Promise<void> {
  return new Promise((resolve) => {
    let rest = "";
    handle = (bytes) => {
      const shown =
        rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
      rest = shown.slice(1 - text.length);
      if (shown.includes(text)) resolve();
    };
  });
}

/** Resolves when so many bytes have come, with their checksum. */
function whenCome(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    let [count, checksum] = [0, 0];
    handle = (bytes) => {
      if (count >= wanted) return;
      const counted = bytes.subarray(0, wanted - count);
      checksum = crc32(counted, checksum);
      count += counted.byteLength;
      if (count >= wanted) resolve(checksum);
    };
  });
}

async function watchFlood(bytes: number): Promise<void> {
  // tmux draws what it has at the moment, and leaves out what was on the screen between.
  const isExact = task.wire !== "tmux";
  const from = performance.now();
  const shown = isExact ? whenCome(bytes) : whenShown(END).then(() => undefined);
  type("\n");
  const checksum = await shown;
  const seconds = (performance.now() - from) / 1000;
  tell({ kind: "flood", seconds, resyncs, ...(checksum === undefined ? {} : { checksum }) });
}

/** Presses one key after the other, each when the one before was shown. */
async function pressKeys(count: number): Promise<void> {
  const times: number[] = [];
  for (let key = -WARM_UP_KEYS; key < count; key++) {
    await wait(BETWEEN_KEYS_MS);
    const shown = whenCome(1);
    const from = performance.now();
    type("x");
    await shown;
    if (key >= 0) times.push(performance.now() - from);
  }
  tell({ kind: "keys", times });
}

process.on("disconnect", () => process.exit());
await whenShown(READY);
process.once("message", () => void (task.keys ? pressKeys(task.keys) : watchFlood(task.bytes)));
tell({ kind: "ready" });
