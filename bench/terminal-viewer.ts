// A viewer in a process of its own: counts bytes from a socket, and says so once all have come.
import { connect } from "node:net";

const [path = "", wanted = "0"] = process.argv.slice(2);
const socket = connect(path);
let bytes = 0;
socket.on("data", (data: Buffer) => {
  bytes += data.byteLength;
  if (bytes >= Number(wanted)) socket.end("all\n");
});
