// A screen thread whose emulators know three sequences of their own: one that throws, one that never ends, one that ends the thread.
import { serveScreens } from "../serve-screens.ts";

serveScreens({
  prepare: (terminal) => {
    terminal.parser.registerOscHandler(7777, (fault) => {
      if (fault === "throw") throw new Error("a fault in the emulator");
      if (fault === "exit") process.exit(1);
      while (fault === "spin");
      return true;
    });
  },
});
