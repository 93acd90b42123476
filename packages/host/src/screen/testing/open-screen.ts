import type { LiveScreen, OpenScreen } from "../live-screen.ts";
import type { Screens } from "../screens.ts";
import { MemorySource } from "./memory-source.ts";

/** A screen thread whose emulators know sequences that fail. */
export const FAULTY_WORKER = new URL("./faulty.worker.ts", import.meta.url);

/** A sequence that fails in a faulty thread: it throws, never ends, ends the thread, or lets it do nothing any more unless that file is there. */
export const fault = (kind: "throw" | "spin" | "exit" | `hang once ${string}`): string =>
  `\u001b]7777;${kind}\u0007`;

/** What a test needs of a screen. */
export interface OpenedScreen {
  readonly screen: LiveScreen;
  readonly source: MemorySource;
  readonly replies: string[];
  /** Records output and shows it. */
  readonly output: (data: string | Uint8Array<ArrayBuffer>) => number;
  /** What is shown, without empty rows at the end. */
  readonly text: () => Promise<string>;
}

/** Opens a screen on a recording in memory. */
export function openScreen(screens: Screens, options: Partial<OpenScreen> = {}): OpenedScreen {
  const source = options.source instanceof MemorySource ? options.source : new MemorySource();
  const replies: string[] = [];
  const screen = screens.open({
    size: { cols: 20, rows: 4 },
    handleReply: (reply) => replies.push(new TextDecoder().decode(reply)),
    ...options,
    source: options.source ?? source,
  });
  return {
    screen,
    source,
    replies,
    output: (data) => source.output(screen, data),
    text: async () => (await screen.picture("text")).text.trimEnd(),
  };
}
