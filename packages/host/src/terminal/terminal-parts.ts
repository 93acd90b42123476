import type { Size, TerminalStorage } from "@nacre/contracts";
import type { ClaimChange } from "../claim/claim-rules.ts";
import type { Pty } from "../pty/pty.ts";
import type { Recording } from "../recording/recording.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { Screens } from "../screen/screens.ts";
import type { Integration } from "../shell/integration.ts";
import type { Backlog } from "./backlog.ts";
import type { TerminalOptions } from "./terminal-options.ts";

/** What a Terminal is made of. */
export interface TerminalParts {
  readonly row: TerminalStorage;
  readonly pty: Pty;
  readonly size: Size;
  readonly recording: Recording;
  readonly recordings: Recordings;
  readonly backlog: Backlog;
  readonly screens: Screens;
  readonly integration?: Integration | undefined;
  /** The claim it begins with. */
  readonly claim: ClaimChange;
  readonly cwdFallback?: true | undefined;
  readonly options: TerminalOptions;
}
