import xterm from "@xterm/headless";

/** An emulator as a viewer has one. */
export const newEmulator = (): xterm.Terminal =>
  new xterm.Terminal({ cols: 80, rows: 24, scrollback: 100_000, allowProposedApi: true });

/** Draws output; resolves when it is drawn. */
export const draw = (emulator: xterm.Terminal, output: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => emulator.write(output, resolve));

/** All lines of an emulator, with its scrollback. */
export function linesOf(emulator: xterm.Terminal): string[] {
  const { active } = emulator.buffer;
  return Array.from({ length: active.length }, (_, at) =>
    (active.getLine(at)?.translateToString(true) ?? "").trimEnd(),
  );
}

/** What an emulator shows now. */
export const screenOf = (emulator: xterm.Terminal): string =>
  linesOf(emulator).slice(emulator.buffer.active.baseY).join("\n").trimEnd();
