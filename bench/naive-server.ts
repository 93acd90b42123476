// The server that everybody writes first: a program on a PTY, its bytes to a WebSocket as they come, and back. Prints its port.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { spawn } from "@lydell/node-pty";
import { WebSocketServer } from "ws";

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (socket, { url = "" }) => {
  const line = new URL(url, "ws://localhost").searchParams.get("line") ?? "";
  const pty = spawn("/bin/sh", ["-c", line], { cols: 80, rows: 24, encoding: null });
  // Without an encoding these are bytes, whatever the types say.
  pty.onData((data) => socket.send(data, { binary: true }));
  pty.onExit(() => socket.close());
  socket.on("message", (data: Buffer) => pty.write(data.toString()));
  socket.on("close", () => pty.kill());
});
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
