import type { LiveScreen, OpenScreen } from "../live-screen.ts";
import type { Screens } from "../screens.ts";
import { MemorySource } from "./memory-source.ts";

export const FAULTY_WORKER = new URL("./faulty.worker.ts", import.meta.url);

/** A sequence that fails in a faulty worker; `hang once` does so unless the file exists. */
export const fault = (kind: "throw" | "spin" | "exit" | `hang once ${string}`): string =>
  `\u001b]7777;${kind}\u0007`;

export interface OpenedScreen {
  readonly screen: LiveScreen;
  readonly source: MemorySource;
  readonly replies: string[];
  readonly output: (data: string | Uint8Array<ArrayBuffer>) => number;
  /** Without empty rows at the end. */
  readonly text: () => Promise<string>;
}

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
