import type { FunctionComponent } from "preact";
import type { LiveState } from "./live-state.ts";

/** What every view is given. */
export interface ViewProps {
  readonly live: LiveState;
  /** The named parts of its path. */
  readonly params: Readonly<Record<string, string>>;
  /** The details of its link. */
  readonly query: URLSearchParams;
}

/** One view of the page. */
export interface View {
  /** A path such as `/t/:id`. */
  readonly path: string;
  readonly show: FunctionComponent<ViewProps>;
  /** Which entry of the navigation it belongs to. */
  readonly section: "terminals" | "recordings" | "search";
}
