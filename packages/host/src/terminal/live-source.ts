import type { ScreenFormat } from "@nacre/contracts";
import type { Requester } from "../screen/past-lane.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import type { LiveTerminal } from "./live-terminal.ts";
import type { TerminalInit } from "./terminal-parts.ts";
import type { ScreenHistory } from "./screen-history.ts";
import type { TerminalStatus } from "./terminal-data.ts";
import type { ReadSource } from "./terminal-reader.ts";

/** In a flood, drawing can be far behind; who comes to look waits no longer than this. */
const MAX_PICTURE_WAIT_MS = 500;

/** A Terminal that runs here, as readers use it. */
export class LiveSource implements ReadSource {
  readonly #live: LiveTerminal;
  readonly #init: TerminalInit;
  readonly #status: () => TerminalStatus;

  constructor(live: LiveTerminal, parts: TerminalInit, status: () => TerminalStatus) {
    this.#live = live;
    this.#init = parts;
    this.#status = status;
  }

  get recording(): ReadSource["recording"] {
    return this.#live.recording;
  }

  get screens(): ReadSource["screens"] {
    return this.#init.screens;
  }

  get history(): ScreenHistory {
    return this.#live.history;
  }

  get status(): TerminalStatus {
    return this.#status();
  }

  get lastSequence(): number {
    return this.#live.lastSequence;
  }

  get isOver(): boolean {
    return this.#live.isOver;
  }

  async picture(format: ScreenFormat, requester?: Requester): Promise<ScreenPicture> {
    const drawn = this.#live.screen.picture(format);
    return await drawn.catch((error: unknown) => this.#recorded(format, requester, error));
  }

  async pictureSoon(format: ScreenFormat, requester?: Requester): Promise<ScreenPicture> {
    const drawn = this.#live.screen.pictureWithin(format, MAX_PICTURE_WAIT_MS);
    return await drawn.catch((error: unknown) => this.#recorded(format, requester, error));
  }

  /** Who asked a moment too late is shown what the recording says. */
  async #recorded(
    format: ScreenFormat,
    requester: Requester | undefined,
    error: unknown,
  ): Promise<ScreenPicture> {
    if (!this.#live.isDisposed) throw error;
    const at = { sequence: this.#live.lastSequence, format, requester };
    return await this.#live.history.picture(this.#init.screens, at);
  }

  glance(format: ScreenFormat): Promise<ScreenPicture> | undefined {
    return this.#live.isDisposed ? undefined : this.#live.screen.glance(format);
  }
}
