import {
  ARROW_MS,
  type Chapter,
  chapterAt,
  formatClock,
  hasFailed,
  speakClock,
  type Stretch,
} from "@nacre/client/ui";
import { useId, useMemo, useState } from "preact/hooks";

/** The width of the picture of the slider; it is stretched to whatever room there is. */
const PICTURE_WIDTH = 1000;

interface TimeSliderProps {
  readonly label: string;
  readonly positionMs: number;
  readonly durationMs: number;
  readonly chapters: readonly Chapter[];
  readonly idle: readonly Stretch[];
  /** What is said at the end, where the end is the present. */
  readonly endWord?: string;
  readonly seek: (ms: number) => void;
}

/** The time of a recording as a slider, with its chapters and where nothing happened. */
export function TimeSlider(props: TimeSliderProps) {
  const { label, positionMs, durationMs, chapters, idle, endWord, seek } = props;
  const [hoverMs, setHoverMs] = useState<number | undefined>(undefined);
  const hintId = useId();
  const share = durationMs === 0 ? 1 : positionMs / durationMs;
  // Made anew only when it changes, not with every frame.
  const picture = useMemo(
    () => <SliderPicture durationMs={durationMs} chapters={chapters} idle={idle} />,
    [durationMs, chapters, idle],
  );
  const handleKey = (event: KeyboardEvent): void => {
    const ms = keyTarget(event, positionMs, durationMs);
    if (ms === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    seek(ms);
  };
  const handlePointer = ({ currentTarget, clientX, pointerType }: PointerEvent): void => {
    if (pointerType !== "mouse" || !(currentTarget instanceof HTMLElement)) return;
    const { left, width } = currentTarget.getBoundingClientRect();
    setHoverMs(Math.min(Math.max((clientX - left) / width, 0), 1) * durationMs);
  };
  return (
    <div
      class="time-slider"
      style={{ "--share": String(share) }}
      onPointerMove={handlePointer}
      onPointerLeave={() => setHoverMs(undefined)}
    >
      {picture}
      <input
        type="range"
        min={0}
        max={Math.max(durationMs, 1)}
        step={1}
        value={durationMs === 0 ? 1 : positionMs}
        aria-label={label}
        aria-describedby={hintId}
        aria-valuetext={saidAt(props)}
        onInput={({ currentTarget }) => seek(Number(currentTarget.value))}
        onKeyDown={handleKey}
      />
      <span id={hintId} class="visually-hidden">
        {chapters.length === 0 ? "" : `${chapters.length} chapters. `}
        {endWord === undefined ? "" : `The end is ${endWord}.`}
      </span>
      {hoverMs !== undefined && durationMs > 0 && (
        <div
          class="slider-hint"
          aria-hidden="true"
          style={{ "--at": String(hoverMs / durationMs) }}
        >
          <span class="time">{formatClock(hoverMs)}</span>
          <span class="clip mono">{chapters[chapterAt(chapters, hoverMs)]?.label}</span>
        </div>
      )}
    </div>
  );
}

function saidAt({ positionMs, durationMs, chapters, endWord }: TimeSliderProps): string {
  if (endWord !== undefined && positionMs >= durationMs) return endWord;
  const chapter = chapters[chapterAt(chapters, positionMs)];
  const said = `${speakClock(positionMs)} of ${speakClock(durationMs)}`;
  return chapter === undefined ? said : `${said}, ${chapter.label}`;
}

/** Where a key on the slider goes; undefined when it is none of its keys. */
function keyTarget({ key }: KeyboardEvent, at: number, durationMs: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return at - ARROW_MS;
    case "ArrowRight":
    case "ArrowUp":
      return at + ARROW_MS;
    case "PageDown":
      return at - durationMs / 10;
    case "PageUp":
      return at + durationMs / 10;
    case "Home":
      return 0;
    case "End":
      return durationMs;
  }
  return undefined;
}

type PictureProps = Pick<TimeSliderProps, "durationMs" | "chapters" | "idle">;

/** Chapters and idle stretches in a few paths, however many there are. */
function SliderPicture({ durationMs, chapters, idle }: PictureProps) {
  if (durationMs === 0) return null;
  const x = (ms: number): number => Math.round((ms / durationMs) * PICTURE_WIDTH * 10) / 10;
  const ticks = (wanted: (chapter: Chapter) => boolean): string =>
    chapters
      .filter(wanted)
      .map(({ atMs }) => `M${x(atMs)} 0v16`)
      .join("");
  const isFailed = ({ end }: Chapter): boolean => end !== undefined && hasFailed(end);
  return (
    <svg
      class="slider-picture"
      viewBox={`0 0 ${PICTURE_WIDTH} 16`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {idle.length > 0 && (
        <path
          class="slider-idle"
          d={idle.map(({ fromMs, toMs }) => `M${x(fromMs)} 5H${x(toMs)}V11H${x(fromMs)}z`).join("")}
        />
      )}
      <path class="slider-mark" d={ticks((one) => one.kind === "command" && !isFailed(one))} />
      <path class="slider-mark" data-tone="bad" d={ticks(isFailed)} />
      <path class="slider-mark" data-tone="info" d={ticks(({ kind }) => kind === "marker")} />
    </svg>
  );
}
