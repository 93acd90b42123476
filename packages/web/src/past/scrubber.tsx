import { formatClock } from "@nacre/client/ui";
import type { TerminalId } from "@nacre/contracts";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { showFailures } from "../parts/toast.tsx";
import type { LiveState } from "../state/live-state.ts";
import { go, place } from "../state/place.ts";
import { parseMomentParam } from "./moment.ts";
import { type Playback, usePlayback } from "./playback.ts";
import { usePlayerKeys } from "./player-keys.ts";
import { playedOn, ScreenBox } from "./screen-box.tsx";
import { TimeSlider } from "./time-slider.tsx";

/** What the slider of a terminal is about. */
export interface ScrubberProps {
  readonly live: LiveState;
  readonly terminalId: TerminalId;
  /** The details of the link; its `t` opens the past. */
  readonly query: URLSearchParams;
  /** Whoever is back in the present types there. */
  readonly focusScreen: () => void;
}

/** The time of a terminal that is shown live: dragged back, its past covers the screen, which goes on below it. */
export function Scrubber({ live, terminalId, query, focusScreen }: ScrubberProps) {
  const playback = usePlayback(live.client, terminalId);
  // Where the past was entered; undefined in the present.
  const [enteredMs, setEnteredMs] = useState<number | undefined>(undefined);
  const isPast = enteredMs !== undefined;
  const asked = query.get("t");
  const leave = (): void => {
    setEnteredMs(undefined);
    if (place.peek().query.has("t")) go(place.peek().path, {}, { replace: true });
  };
  useEffect(() => {
    const ms = parseMomentParam(asked ?? "");
    if (ms === undefined) return;
    if (playback.player) playback.player.seek(ms);
    else setEnteredMs(ms);
  }, [asked]);
  usePlayerKeys(playback);
  useEffect(() => showFailures(playback.load()), [playback]);
  usePresentAgain(playback, leave);
  useOnlyPast(isPast, leave);
  // What was recorded meanwhile is only worth asking for when somebody reaches for it.
  const handleReach = (): void => {
    if (!isPast) showFailures(playback.load());
  };
  const durationMs = playback.state.value?.durationMs ?? playback.extent.value?.durationMs ?? 0;
  const positionMs = isPast ? (playback.state.value?.positionMs ?? enteredMs) : durationMs;
  const seek = (ms: number): void => {
    if (ms >= durationMs) leave();
    else if (isPast) playback.player?.seek(ms);
    else setEnteredMs(ms);
  };
  return (
    <>
      {isPast && (
        <div class="past-cover">
          <ScreenBox
            playback={playback}
            id={terminalId}
            label="Past screen"
            start={async (screen) => {
              if (playback.extent.peek() === undefined) await playback.load();
              if (!screen.isGone) playback.begin(playedOn(screen), { atMs: enteredMs });
            }}
          />
        </div>
      )}
      <section
        class="scrubber"
        aria-label="Time"
        data-past={isPast}
        onPointerEnter={handleReach}
        onFocusIn={handleReach}
      >
        <button
          type="button"
          class="icon-button"
          disabled={!isPast}
          aria-label={playback.state.value?.isPlaying ? "Pause" : "Play from here"}
          onClick={() => playback.player?.toggle()}
        >
          <Icon name={playback.state.value?.isPlaying ? "pause" : "play"} />
        </button>
        <TimeSlider
          label="Time of this terminal"
          positionMs={positionMs}
          durationMs={durationMs}
          chapters={playback.chapters.value}
          idle={playback.extent.value?.idle ?? []}
          endWord="now"
          seek={seek}
        />
        <span class="scrubber-clock time" aria-hidden="true">
          {isPast ? `−${formatClock(durationMs - positionMs)}` : "now"}
        </span>
        <Button
          small
          look={isPast ? "primary" : "quiet"}
          disabled={!isPast}
          onClick={() => {
            leave();
            focusScreen();
          }}
        >
          Jump to now
        </Button>
      </section>
    </>
  );
}

/** Who plays the past to its end is in the present. */
function usePresentAgain(playback: Playback, leave: () => void): void {
  const wasPlaying = useRef(false);
  const { isPlaying = false, positionMs = 0, durationMs = 1 } = playback.state.value ?? {};
  useEffect(() => {
    const isOver = wasPlaying.current && !isPlaying && positionMs >= durationMs;
    wasPlaying.current = isPlaying;
    if (isOver) leave();
  }, [isPlaying]);
}

/** While the past is shown, nothing that is typed reaches the present below it; Escape leads back. */
function useOnlyPast(isPast: boolean, leave: () => void): void {
  useEffect(() => {
    if (!isPast) return undefined;
    const handleEvent = (event: Event): void => {
      if (event instanceof KeyboardEvent && event.key === "Escape") leave();
      else if (!isForPresent(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const kinds = ["keydown", "keypress", "beforeinput", "paste"];
    for (const kind of kinds) addEventListener(kind, handleEvent, { capture: true });
    return () => {
      for (const kind of kinds) removeEventListener(kind, handleEvent, { capture: true });
    };
  }, [isPast]);
}

const isForPresent = ({ target }: Event): boolean =>
  target instanceof Element &&
  target.closest(".xterm") !== null &&
  target.closest(".past-cover") === null;
