// A screen worker with extra sequences: one throws, one loops for ever, one ends the thread, and one hangs it once.
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
