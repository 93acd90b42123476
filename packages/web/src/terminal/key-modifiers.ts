import { signal } from "@preact/signals";

/** Whether the next key is pressed together with Ctrl, as the key row of a phone says. */
export const isCtrlHeld = signal(false);
