// What whoever shows terminals to people shares: words and tones of facts, times and sizes, safe text, and the player.
export * from "./format.ts";
export * from "./holder.ts";
export * from "./needs.ts";
export * from "./outline.ts";
export * from "./player.ts";
export * from "./read-pages.ts";
export * from "./recording-source.ts";
export * from "./safe-text.ts";
export * from "./terminal-state.ts";
