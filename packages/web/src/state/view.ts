import type { FunctionComponent } from "preact";
import type { LiveState } from "./live-state.ts";

export interface ViewProps {
  readonly live: LiveState;
  /** From the path. */
  readonly params: Readonly<Record<string, string>>;
  /** From the link. */
  readonly query: URLSearchParams;
}

export interface View {
  /** Such as `/t/:id`. */
  readonly path: string;
  readonly show: FunctionComponent<ViewProps>;
  /** Highlighted entry of the navigation. */
  readonly section: "terminals" | "recordings" | "search";
}
