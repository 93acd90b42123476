/** What a person wants of a replay. */
export type PlayAction =
  | "pause"
  | "step"
  | "nextChapter"
  | "previousChapter"
  | "faster"
  | "slower"
  | "forward"
  | "back"
  | "start"
  | "end"
  | "quit";

const KEYS: Readonly<Record<string, PlayAction>> = {
  " ": "pause",
  ".": "step",
  "]": "nextChapter",
  "[": "previousChapter",
  ">": "faster",
  "<": "slower",
  q: "quit",
  Q: "quit",
  "\x03": "quit",
  "\x04": "quit",
};

const CODES: Readonly<Record<string, PlayAction>> = {
  C: "forward",
  D: "back",
  A: "forward",
  B: "back",
  H: "start",
  F: "end",
  "1~": "start",
  "7~": "start",
  "4~": "end",
  "8~": "end",
};

/** The keys that were pressed, as far as they mean something here. */
export function playActions(bytes: Uint8Array): readonly PlayAction[] {
  const text = Buffer.from(bytes).toString("latin1");
  // oxlint-disable-next-line no-control-regex
  const keys = text.match(/\x1b[[O][\x30-\x3f]*[A-Za-z~]|[^]/g) ?? [];
  return keys.flatMap((key) => (key.length > 1 ? (CODES[key.slice(2)] ?? []) : (KEYS[key] ?? [])));
}
