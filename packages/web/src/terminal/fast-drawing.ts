import type { Terminal } from "@xterm/xterm";

/** Draws with the graphics processor where there is one; software that pretends to be one is slower than the page itself. */
export async function drawFast(terminal: Terminal): Promise<void> {
  if (!hasGraphicsProcessor()) return;
  try {
    const { WebglAddon } = await import("@xterm/addon-webgl");
    const addon = new WebglAddon();
    addon.onContextLoss(() => addon.dispose());
    terminal.loadAddon(addon);
  } catch {
    // The page itself goes on drawing, as it did until now.
  }
}

function hasGraphicsProcessor(): boolean {
  const canvas = document.createElement("canvas");
  return canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true }) !== null;
}
