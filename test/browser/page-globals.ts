// What the page of the test with xterm.js has, for the parts of tests that run in it.
import type { AttachAddon as Attach } from "@xterm/addon-attach";
import type { Terminal as XTerminal } from "@xterm/xterm";

declare global {
  /** The scripts of the packages put their exports here. */
  var Terminal: typeof XTerminal;
  var AttachAddon: { readonly AttachAddon: typeof Attach };

  interface Window {
    linesShown(): readonly (string | undefined)[];
  }
}
