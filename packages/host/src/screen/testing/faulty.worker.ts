// A screen thread whose emulators know sequences of their own: one that throws, one that never ends, one that ends the thread, one after which it does nothing any more, but only once.
import { existsSync, writeFileSync } from "node:fs";
import { serveScreens } from "../replica-scheduler.ts";

const never = new Int32Array(new SharedArrayBuffer(4));

serveScreens({
  prepare: (terminal) => {
    terminal.parser.registerOscHandler(7777, (fault) => {
      if (fault === "throw") throw new Error("a fault in the emulator");
      if (fault === "exit") process.exit(1);
      while (fault === "spin");
      const [, path] = /^hang once (.*)$/.exec(fault) ?? [];
      if (path !== undefined && !existsSync(path)) {
        writeFileSync(path, "");
        setImmediate(() => Atomics.wait(never, 0, 0));
      }
      return true;
    });
  },
});
