import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../parts/icon.tsx";
import { describeError } from "../parts/toast.tsx";
import { showClock } from "./moment.ts";
import type { Playback } from "./playback.ts";
import { SPEEDS } from "./player.ts";
import { TimeSlider } from "./time-slider.tsx";

interface PlayerBarProps {
  readonly playback: Playback;
  /** What else can be done, at the end of the row. */
  readonly children?: ComponentChildren;
}

/** What a recording is played with: the slider, and the buttons below it. */
export function PlayerBar({ playback, children }: PlayerBarProps) {
  const state = playback.state.value;
  const extent = playback.extent.value;
  const { player } = playback;
  const { positionMs = 0, durationMs = extent?.durationMs ?? 0 } = state ?? {};
  const isPlaying = state?.isPlaying ?? false;
  return (
    <section class="player-bar" aria-label="Player" aria-busy={state?.isWaiting ?? true}>
      <TimeSlider
        label="Time"
        positionMs={positionMs}
        durationMs={durationMs}
        chapters={playback.chapters.value}
        idle={extent?.idle ?? []}
        seek={(ms) => player?.seek(ms)}
      />
      <div class="player-row">
        <button
          type="button"
          class="play-button"
          aria-label={isPlaying ? "Pause" : "Play"}
          title={`${isPlaying ? "Pause" : "Play"} (Space)`}
          onClick={() => player?.toggle()}
        >
          <Icon name={isPlaying ? "pause" : "play"} />
        </button>
        <Small
          label="Last chapter"
          hint="["
          symbol="previous"
          act={() => playback.turn("previous")}
        />
        <Small label="Next chapter" hint="]" symbol="next" act={() => playback.turn("next")} />
        <Small label="Next change" hint="." symbol="step" act={() => player?.step()} />
        <span class="player-clock time">
          {showClock(positionMs)}
          <span class="quiet"> / {showClock(durationMs)}</span>
        </span>
        {extent !== undefined && (
          <span class="player-moment time quiet">
            {new Date(extent.beganAt + positionMs).toLocaleString()}
          </span>
        )}
        <div class="player-end">
          <label class="speed">
            <span class="visually-hidden">Speed</span>
            <select
              class="input"
              title="Speed (< >)"
              value={String(state?.speed ?? 1)}
              onChange={({ currentTarget }) => player?.setSpeed(Number(currentTarget.value))}
            >
              {SPEEDS.map((speed) => (
                <option key={speed} value={String(speed)}>
                  {speed}×
                </option>
              ))}
            </select>
          </label>
          <label class="check" title="Cut pauses to a second">
            <input
              type="checkbox"
              checked={state?.skipsIdle ?? true}
              onChange={({ currentTarget }) => player?.setSkipsIdle(currentTarget.checked)}
            />
            <span>Skip idle</span>
          </label>
          {children}
        </div>
      </div>
      {state?.problem !== undefined && (
        <p class="form-problem" role="alert">
          {describeError(state.problem)} Press play to try again.
        </p>
      )}
    </section>
  );
}

interface SmallProps {
  readonly label: string;
  readonly hint: string;
  readonly symbol: IconName;
  readonly act: () => void;
}

function Small({ label, hint, symbol, act }: SmallProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={`${label} (${hint})`}
      onClick={act}
    >
      <Icon name={symbol} />
    </button>
  );
}
