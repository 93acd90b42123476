import { ARROW_MS } from "@nacre/client/ui";
import { useEffect } from "preact/hooks";
import type { KeyMeaning } from "../parts/key-list.tsx";
import type { Playback } from "./playback.ts";

/** Keys belong to these, not to the player; a slider and a screen that only shows have no use for them. */
const OWN_KEYS =
  "input:not([type=range]), textarea:not(.xterm-helper-textarea), select, dialog, [contenteditable]";

/** The keys of the player, as its help shows them. */
export const PLAYER_KEYS: readonly KeyMeaning[] = [
  ["Space", "Play, pause"],
  [".", "Next change"],
  ["[ ]", "Last, next chapter"],
  ["← →", "5 seconds back, on"],
  ["< >", "Slower, faster"],
  ["0 … 9", "Go to a tenth"],
];

/** Lets the keys of the player work while its view is shown. */
export function usePlayerKeys(playback: Playback): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return;
      if (!act(playback, event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Before the screen, which would take them for itself.
    addEventListener("keydown", handleKey, { capture: true });
    return () => removeEventListener("keydown", handleKey, { capture: true });
  }, [playback]);
}

function isElsewhere({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(OWN_KEYS) !== null) return true;
  return key === " " && target.closest("button, a, summary") !== null;
}

/** Does what a key says; false when it says nothing here. */
function act(playback: Playback, key: string): boolean {
  const { player } = playback;
  if (!player) return false;
  const { positionMs, durationMs } = player.state;
  if (/^[0-9]$/.test(key)) {
    player.seek((durationMs * Number(key)) / 10);
    return true;
  }
  switch (key) {
    case " ":
      player.toggle();
      return true;
    case ".":
      player.step();
      return true;
    case "[":
      playback.turn(-1);
      return true;
    case "]":
      playback.turn(1);
      return true;
    case "<":
      player.changeSpeed(-1);
      return true;
    case ">":
      player.changeSpeed(1);
      return true;
    case "ArrowLeft":
      player.seek(positionMs - ARROW_MS);
      return true;
    case "ArrowRight":
      player.seek(positionMs + ARROW_MS);
      return true;
  }
  return false;
}
