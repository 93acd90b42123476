import type { View } from "../state/view.ts";
import { PlayerView } from "./player-view.tsx";
import { RecordingsView } from "./recordings-view.tsx";
import { SearchView } from "./search-view.tsx";

/** The views of what was. */
export const PAST_VIEWS: readonly View[] = [
  { path: "/recordings", show: RecordingsView, section: "recordings" },
  { path: "/search", show: SearchView, section: "search" },
  { path: "/r/:id", show: PlayerView, section: "recordings" },
];
