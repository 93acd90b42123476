import { signal } from "@preact/signals";

/** The Ctrl key of the on-screen key row. */
export const isCtrlHeld = signal(false);
