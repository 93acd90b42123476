import type { TerminalId } from "@nacre/contracts";
import { useEffect, useRef } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { go } from "../app/place.ts";
import type { ViewProps } from "../app/view.ts";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Icon } from "../parts/icon.tsx";
import { KeyList } from "../parts/key-list.tsx";
import { showFailures, showToast, describeError } from "../parts/toast.tsx";
import type { Screen } from "../terminal/screen.ts";
import { ChapterList } from "./chapter-list.tsx";
import { DownloadMenu } from "./download-menu.tsx";
import { parseMomentParam, writeMoment } from "./moment.ts";
import type { Playback } from "./playback.ts";
import { PlayerBar } from "./player-bar.tsx";
import { PLAYER_KEYS, usePlayerKeys } from "./player-keys.ts";
import { PlayerTitle } from "./player-title.tsx";
import { type Spot, findSpot } from "./recording-source.ts";
import { playedOn, ScreenBox } from "./screen-box.tsx";
import { idOfPath, linkToMoment, playerPath } from "./terminal-link.ts";
import { usePlayback } from "./use-playback.ts";

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
