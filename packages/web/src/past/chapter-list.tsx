import { useEffect, useRef } from "preact/hooks";
import { Badge } from "../parts/badge.tsx";
import { durationText } from "../parts/time.tsx";
import { showClock } from "./moment.ts";
import type { Chapter, ChapterEnd } from "./outline.ts";
import type { Playback } from "./playback.ts";

/** The commands and markers of a recording, to go to. */
export function ChapterList({ playback }: { readonly playback: Playback }) {
  const chapters = playback.chapters.value;
  const current = playback.chapter.value;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // Only within the list: the page itself must not move while something is played.
    const item = list.current?.children[current];
    if (list.current && item instanceof HTMLElement) keepInSight(list.current, item);
  }, [current]);
  return (
    <section class="chapters" aria-label="Chapters">
      <h2>Chapters</h2>
      {chapters.length === 0 ? (
        <p class="quiet">
          No commands were seen here. They are where a shell ran with its integration, and so are
          points that somebody marked.
        </p>
      ) : (
        <ol ref={list}>
          {chapters.map((chapter, at) => (
            <li key={chapter.sequence}>
              <ChapterButton
                chapter={chapter}
                isCurrent={at === current}
                open={() => playback.player?.seekTo(chapter)}
              />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

interface ChapterButtonProps {
  readonly chapter: Chapter;
  readonly isCurrent: boolean;
  readonly open: () => void;
}

function ChapterButton({ chapter, isCurrent, open }: ChapterButtonProps) {
  const { kind, atMs, label, end } = chapter;
  return (
    <button
      type="button"
      class="chapter"
      data-kind={kind}
      aria-current={isCurrent ? "true" : undefined}
      onClick={open}
    >
      <span class="time quiet">{showClock(atMs)}</span>
      <span class="clip mono" title={label}>
        {label || "(empty)"}
      </span>
      {kind === "marker" && <Badge tone="info">mark</Badge>}
      {kind === "command" && <ChapterBadge end={end} atMs={atMs} />}
    </button>
  );
}

function ChapterBadge({
  end,
  atMs,
}: {
  readonly end: ChapterEnd | undefined;
  readonly atMs: number;
}) {
  if (end === undefined) return <Badge tone="info">running</Badge>;
  const { signal, exitCode } = end;
  const title = `took ${durationText(end.atMs - atMs)}`;
  if (signal !== undefined)
    return (
      <Badge tone="bad" title={title}>
        {signal}
      </Badge>
    );
  if (exitCode === undefined) return <Badge title={title}>ended</Badge>;
  return (
    <Badge tone={exitCode === 0 ? "good" : "bad"} title={title}>
      exit {exitCode}
    </Badge>
  );
}

function keepInSight(list: HTMLElement, item: HTMLElement): void {
  const top = item.offsetTop - list.offsetTop;
  const bottom = top + item.offsetHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
