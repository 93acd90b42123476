// Takes a page's part against ttyd: counts output until all has come. ttyd compresses only for who offers it; nobody does here.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";

const OUTPUT = 0x30;
const END_OF_HEADERS = "\r\n\r\n";
const LONG = 126;
const HUGE = 127;

/** Connects to ttyd on this port; resolves with how long it took from the first word to the last byte. */
export function viewTtyd(port: number, wanted: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect(port, "127.0.0.1");
  let rest: Buffer = Buffer.alloc(0);
  let isOpen = false;
  let from = 0;
  let bytes = 0;
  socket.on("error", reject);
  socket.on("close", () => reject(new Error(`ttyd closed after ${bytes} of ${wanted} bytes`)));
  socket.write(
    [
      "GET /ws HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Protocol: tty",
      "",
      "",
    ].join("\r\n"),
  );
  socket.on("data", (data: Buffer) => {
    rest = rest.byteLength > 0 ? Buffer.concat([rest, data]) : data;
    if (!isOpen) {
      const end = rest.indexOf(END_OF_HEADERS);
      if (end < 0) return;
      rest = rest.subarray(end + END_OF_HEADERS.length);
      isOpen = true;
      from = performance.now();
      const hello = Buffer.from(JSON.stringify({ AuthToken: "", columns: 80, rows: 24 }));
      socket.write(
        Buffer.concat([Buffer.from([0x82, 0x80 | hello.byteLength, 0, 0, 0, 0]), hello]),
      );
    }
    for (let frame = takeFrame(rest); frame; frame = takeFrame(rest)) {
      rest = frame.rest;
      if (frame.payload[0] === OUTPUT) bytes += frame.payload.byteLength - 1;
    }
    if (bytes < wanted) return;
    resolve((performance.now() - from) / 1000);
    socket.destroy();
  });
  return promise;
}

function takeFrame(data: Buffer): { payload: Buffer; rest: Buffer } | undefined {
  const short = (data[1] ?? 0) & HUGE;
  const start = short === HUGE ? 10 : short === LONG ? 4 : 2;
  if (data.byteLength < start) return undefined;
  const length =
    short === HUGE
      ? Number(data.readBigUInt64BE(2))
      : short === LONG
        ? data.readUInt16BE(2)
        : short;
  const end = start + length;
  if (data.byteLength < end) return undefined;
  return { payload: data.subarray(start, end), rest: data.subarray(end) };
}
