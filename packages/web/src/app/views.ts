import { PAST_VIEWS } from "../past/views.ts";
import { TerminalView } from "../terminal/terminal-view.tsx";
import { TerminalsView } from "../terminals/terminals-view.tsx";
import type { View } from "./view.ts";

/** Every view there is; the first whose path fits is shown. */
export const VIEWS: readonly View[] = [
  { path: "/", show: TerminalsView, section: "terminals" },
  { path: "/t/:id", show: TerminalView, section: "terminals" },
  ...PAST_VIEWS,
];
