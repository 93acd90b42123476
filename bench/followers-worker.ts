// Ten programs that hear everything of all terminals, in one process: half over SSE, half over the unix socket.
import { connect } from "node:net";
import { request } from "node:http";
import type { Readable } from "node:stream";

const [url = "", token = "", socketPath = "", count = "10"] = process.argv.slice(2);
const CHANNELS = "terminal:*.*";

const heard = { bytes: 0, resyncs: 0 };

/** Reads as fast as it can; who parses each event is slower, and is told to read anew more often. */
function listen(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.on("data", (chunk: Buffer) => {
      heard.bytes += chunk.length;
      for (let at = -1; (at = chunk.indexOf('"type":"resync"', at + 1)) >= 0;) heard.resyncs++;
      resolve();
    });
  });
}

async function followByStream(): Promise<void> {
  const address = new URL(`/api/events?channel=${encodeURIComponent(CHANNELS)}`, url);
  const headers = { authorization: `Bearer ${token}` };
  const response = await new Promise<Readable>((resolve, reject) => {
    request(address, { headers, agent: false }, resolve).on("error", reject).end();
  });
  await listen(response);
}

async function followBySocket(): Promise<void> {
  const socket = connect(socketPath);
  const params = { channels: [CHANNELS] };
  socket.write(
    `${JSON.stringify({ type: "request", id: 1, method: "event.subscribe", params })}\n`,
  );
  await listen(socket);
}

const ways = Array.from({ length: Number(count) }, (_, at) => at % 2);
await Promise.all(ways.map((way) => (way === 0 ? followByStream() : followBySocket())));
process.send?.({ kind: "open" });
process.on("message", () => process.send?.({ kind: "heard", ...heard }));
process.on("disconnect", () => process.exit());
