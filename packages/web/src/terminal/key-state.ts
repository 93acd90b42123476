import { signal } from "@preact/signals";

/** Whether the next key is pressed together with Ctrl, as the key row of a phone says. Apart from the session, which is loaded when a terminal is opened. */
export const isCtrlHeld = signal(false);
