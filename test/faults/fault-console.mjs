// Loaded into a daemon before everything else: lets a test end its threads and move its clock, over a socket of its own.
import { rmSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { createServer } from "node:net";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

const path = process.env["NACRE_FAULT_CONSOLE"];
if (isMainThread && path !== undefined) {
  const threads = createRequire(import.meta.url)("node:worker_threads");
  /** By the name of what runs in them, such as `recorder.worker`. */
  const running = new Map();
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options) {
      super(file, options);
      const name = basename(fileURLToPath(file)).replace(/\.[^.]+$/, "");
      running.set(this, name);
      this.once("exit", () => running.delete(this));
    }
  };
  syncBuiltinESMExports();

  const OwnDate = Date;
  let shiftMs = 0;
  globalThis.Date = class extends OwnDate {
    constructor(...given) {
      if (given.length === 0) super(OwnDate.now() + shiftMs);
      else super(...given);
    }
    static now() {
      return OwnDate.now() + shiftMs;
    }
  };

  const named = (name) => [...running].filter(([, one]) => one === name).map(([worker]) => worker);
  const orders = {
    threads: () => [...running.values()],
    /** Ends threads at once, as a fault of the machine would. */
    end: async (name) => (await Promise.all(named(name).map((one) => one.terminate()))).length,
    /** Gives threads something that they cannot take, so that they throw. */
    crash: (name) => named(name).map((one) => one.postMessage(null)).length,
    shiftClock: (ms) => (shiftMs = ms),
  };
  const server = createServer((socket) => {
    let text = "";
    socket.setEncoding("utf8").on("data", async (part) => {
      text += part;
      if (!text.includes("\n")) return;
      const [order, ...values] = JSON.parse(text);
      const answer = await orders[order](...values);
      socket.end(JSON.stringify(answer));
    });
    socket.on("error", () => undefined);
  });
  // One that was killed left its socket behind.
  rmSync(path, { force: true });
  server.listen(path).unref();
}
