import {
  type Chapter,
  describeEnding,
  type Described,
  describeState,
  findSpot,
  formatClock,
  formatDuration,
  IDLE_LIMIT_MS,
  RUNNING,
  SPEEDS,
  type Spot,
} from "@nacre/client/ui";
import type { TerminalId, TerminalStorage } from "@nacre/contracts";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge, FactBadge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { KeyList } from "../parts/key-list.tsx";
import { describeError, showFailures, showToast } from "../parts/toast.tsx";
import type { Screen } from "../screen/screen.ts";
import { idOfPath, linkTo, linkToTerminal, playerPath } from "../state/links.ts";
import { go } from "../state/place.ts";
import type { LiveState } from "../state/live-state.ts";
import type { ViewProps } from "../state/view.ts";
import { DownloadMenu } from "./download-menu.tsx";
import { linkToMoment, parseMomentParam, writeMoment } from "./moment.ts";
import { type Playback, usePlayback } from "./playback.ts";
import { PLAYER_KEYS, usePlayerKeys } from "./player-keys.ts";
import { lineOf, readFacts, type RecordingFacts, type RecordingLine } from "./recording-line.ts";
import { playedOn, ScreenBox } from "./screen-box.tsx";
import { TimeSlider } from "./time-slider.tsx";

/** Plays one recording, of a terminal that ended or that still runs. */
export function PlayerView({ live, params, query }: ViewProps) {
  const id = idOfPath(params["id"] ?? "");
  if (id === undefined) return <NoRecording>This address names no recording.</NoRecording>;
  return <RecordingPlayer live={live} id={id} query={query} />;
}

interface RecordingPlayerProps {
  readonly live: LiveState;
  readonly id: TerminalId;
  readonly query: URLSearchParams;
}

function RecordingPlayer({ live, id, query }: RecordingPlayerProps) {
  const playback = usePlayback(live.client, id);
  usePlayerKeys(playback);
  const start = async (screen: Screen): Promise<void> => {
    const spot = await startOf(live, id, query);
    await playback.load();
    playback.begin(playedOn(screen), spot ?? { atMs: 0 });
    const wanted = query.get("find");
    if (wanted !== null) await showFound(screen, playback, wanted);
    else if (spot === undefined && !prefersStillness()) playback.player?.play();
  };
  if (playback.problem.value !== undefined) {
    return <NoRecording>{describeError(playback.problem.value)}</NoRecording>;
  }
  return (
    <div class="player-view">
      <AddressKeeper playback={playback} id={id} query={query} />
      <PlayerTitle live={live} id={id} />
      <div class="player-stage">
        <ScreenBox playback={playback} id={id} label="Recorded screen" start={start} />
      </div>
      <PlayerBar playback={playback}>
        <Button
          symbol="link"
          aria-label="Copy link"
          title="Copy link to this moment"
          onClick={() => showFailures(copyLink(playback, id))}
        >
          Copy link
        </Button>
        <DownloadMenu live={live} id={id} />
      </PlayerBar>
      <aside class="player-side">
        <ChapterList playback={playback} />
        <details class="player-keys">
          <summary>
            <Icon name="help" /> Keys
          </summary>
          <KeyList keys={PLAYER_KEYS} />
        </details>
      </aside>
    </div>
  );
}

function NoRecording({ children }: { readonly children: string }) {
  return (
    <EmptyState title="There is nothing to play" action={<a href="#/recordings">All recordings</a>}>
      {children}
    </EmptyState>
  );
}

/** Where to begin: at a moment, at an entry, or nowhere in particular. */
async function startOf(
  live: LiveState,
  id: TerminalId,
  query: URLSearchParams,
): Promise<Spot | undefined> {
  const at = query.get("at") ?? "";
  if (/^\d{1,15}$/.test(at)) return await findSpot(live.client, id, Number(at));
  const atMs = parseMomentParam(query.get("t") ?? "");
  return atMs === undefined ? undefined : { atMs };
}

interface AddressKeeperProps {
  readonly playback: Playback;
  readonly id: TerminalId;
  readonly query: URLSearchParams;
}

/** Keeps the address at the moment that is shown while it stands, and goes where the address is changed to. It shows nothing, so that frames cost little. */
function AddressKeeper({ playback, id, query }: AddressKeeperProps) {
  const written = useRef(query.get("t"));
  const state = playback.state.value;
  const asked = query.get("t");
  const isStanding = state !== undefined && !state.isPlaying && !state.isWaiting;
  const here = isStanding ? writeMoment(state.positionMs) : undefined;
  useEffect(() => {
    if (here === undefined || here === written.current) return;
    written.current = here;
    go(playerPath(id), { t: here }, { replace: true });
  }, [here]);
  useEffect(() => {
    if (asked === null || asked === written.current) return;
    written.current = asked;
    const ms = parseMomentParam(asked);
    if (ms === undefined) return;
    playback.player?.pause();
    playback.player?.seek(ms);
  }, [asked]);
  return null;
}

/** Marks on the screen what somebody looked for, once it is drawn. */
async function showFound(screen: Screen, playback: Playback, wanted: string): Promise<void> {
  await playback.shown();
  await screen.write("");
  if (!screen.isGone) screen.search.findPrevious(wanted);
}

const prefersStillness = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

async function copyLink(playback: Playback, id: TerminalId): Promise<void> {
  const ms = Math.floor(playback.player?.state.positionMs ?? 0);
  await navigator.clipboard.writeText(`${location.origin}/${linkToMoment(id, ms)}`);
  showToast("The link to this moment is copied.");
}

interface PlayerTitleProps {
  readonly live: LiveState;
  readonly id: TerminalId;
}

/** What is played, and the ways away from it. */
function PlayerTitle({ live, id }: PlayerTitleProps) {
  const line = useLine(live, id);
  return (
    <header class="player-head">
      <a class="icon-button" href={linkTo("/recordings")} aria-label="All recordings">
        <Icon name="back" />
      </a>
      <h1 class="clip" title={line?.title}>
        {line?.title ?? "Recording"}
      </h1>
      {line !== undefined && <FactBadge fact={describeState(line)} />}
      {line !== undefined && (
        <span class="clip quiet player-owner">
          {line.row.owner.entityName} {line.row.owner.entityId}
        </span>
      )}
      {line?.isRunning && (
        <a class="button plain small" href={linkToTerminal(id)}>
          <Icon name="terminal" />
          <span>Watch live</span>
        </a>
      )}
    </header>
  );
}

function useLine(live: LiveState, id: TerminalId): RecordingLine | undefined {
  const [row, setRow] = useState<TerminalStorage | undefined>(undefined);
  const [facts, setFacts] = useState<RecordingFacts | undefined>(undefined);
  const summary = live.terminals.value?.find((one) => one.id === id);
  useEffect(() => showFailures(live.client.readTerminal({ id }).then(setRow)), [live, id]);
  useEffect(
    () => showFailures(readFacts(live.client, id).then(setFacts)),
    [live, id, summary?.state],
  );
  return row === undefined ? undefined : lineOf(row, summary, facts);
}

/** The commands and markers of a recording, to go to. */
function ChapterList({ playback }: { readonly playback: Playback }) {
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
  const { kind, atMs, label } = chapter;
  return (
    <button
      type="button"
      class="chapter"
      data-kind={kind}
      aria-current={isCurrent ? "true" : undefined}
      onClick={open}
    >
      <span class="time quiet">{formatClock(atMs)}</span>
      <span class="clip mono" title={label}>
        {label || "(empty)"}
      </span>
      {kind === "marker" && <Badge tone="info">mark</Badge>}
      {kind === "command" && <FactBadge fact={describeChapter(chapter)} />}
    </button>
  );
}

function describeChapter({ end, atMs }: Chapter): Described {
  if (end === undefined) return RUNNING;
  return { ...describeEnding(end), details: `took ${formatDuration(end.atMs - atMs)}` };
}

function keepInSight(list: HTMLElement, item: HTMLElement): void {
  const top = item.offsetTop - list.offsetTop;
  const bottom = top + item.offsetHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}

interface PlayerBarProps {
  readonly playback: Playback;
  /** What else can be done, at the end of the row. */
  readonly children?: ComponentChildren;
}

/** What a recording is played with: the slider, and the buttons below it. */
function PlayerBar({ playback, children }: PlayerBarProps) {
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
        <Small label="Last chapter" hint="[" symbol="previous" act={() => playback.turn(-1)} />
        <Small label="Next chapter" hint="]" symbol="next" act={() => playback.turn(1)} />
        <Small label="Next change" hint="." symbol="step" act={() => player?.step()} />
        <span class="player-clock time">
          {formatClock(positionMs)}
          <span class="quiet"> / {formatClock(durationMs)}</span>
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
              checked={state?.idleLimitMs !== Infinity}
              onChange={({ currentTarget }) =>
                player?.setIdleLimit(currentTarget.checked ? IDLE_LIMIT_MS : Infinity)
              }
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
