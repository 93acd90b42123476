import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { useEffect, useMemo } from "preact/hooks";
import { Playback } from "./playback.ts";
import { recordingSource } from "./recording-source.ts";

/** The playback of a recording, for as long as a view shows it. */
export function usePlayback(client: NacreClient, id: TerminalId): Playback {
  const playback = useMemo(() => new Playback(recordingSource(client, id)), [client, id]);
  useEffect(() => () => playback[Symbol.dispose](), [playback]);
  return playback;
}
