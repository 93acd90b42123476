import type { Size } from "@nacre/contracts";
import { ScreenReplica } from "../../packages/host/src/screen/screen-replica.ts";
import type { LiveScreen } from "../../packages/host/src/screen/live-screen.ts";
import type { ScreenPicture } from "../../packages/host/src/screen/screen-change.ts";
import { Screens } from "../../packages/host/src/screen/screens.ts";
import { MemorySource } from "../../packages/host/src/screen/testing/memory-source.ts";
import { EmulatorInputFilter } from "../../packages/host/src/shell/emulator-input-filter.ts";

const SCROLLBACK_LINES = 200;

/** What somebody else's terminal shows all the time. */
const UNTOUCHED = "untouched";

/** How long may be waited. */
export interface WaitLimits {
  /** Until output is shown rightly. */
  readonly shownMs: number;
  /** Until another terminal has its picture, also when the thread was ended and began anew. */
  readonly otherMs: number;
}

/** A terminal with bad output, and another one drawn by the same thread that must not feel it. */
export class WatchedScreens implements AsyncDisposable {
  readonly #screens = new Screens({ threads: 1 });
  readonly #source = new MemorySource();
  readonly #screen: LiveScreen;
  readonly #other: LiveScreen;
  readonly #view = new EmulatorInputFilter();
  readonly #expectedView = new EmulatorInputFilter();
  readonly #reference: ScreenReplica;
  #sequence = 0;
  #otherMs = 0;
  /** What was typed into the terminal. */
  readonly replies: string[] = [];
  /** What would have been, without a bound on their number. */
  readonly allReplies: string[] = [];
  #recoveries = 0;

  constructor(size: Size) {
    this.#screen = this.#screens.open({
      size,
      source: this.#source,
      scrollback: SCROLLBACK_LINES,
      handleReply: (reply) => this.replies.push(new TextDecoder().decode(reply)),
    });
    const otherSource = new MemorySource();
    this.#other = this.#screens.open({ size, source: otherSource, handleReply: () => {} });
    otherSource.output(this.#other, UNTOUCHED);
    this.#reference = new ScreenReplica({
      size,
      scrollback: SCROLLBACK_LINES,
      saved: undefined,
      skips: [],
      reply: (_place, text) => this.allReplies.push(text),
      handleRecovery: () => this.#recoveries++,
    });
  }

  /** Starts the thread, which takes longer than anything it does later. */
  async begin(): Promise<void> {
    await Promise.all([this.picture(), this.lookAtOther()]);
    this.#otherMs = 0;
  }

  /** The longest time that the other terminal waited for its picture. */
  get longestOtherMs(): number {
    return this.#otherMs;
  }

  /** How often output had to be left out because the emulator failed at it. */
  get recoveries(): number {
    return this.#recoveries;
  }

  /** Shows output on the screen. */
  write(output: Uint8Array<ArrayBuffer>): void {
    this.#source.output(this.#screen, this.#view.push(output));
  }

  /** Draws output here and at once, for what the screen is then expected to show. */
  expect(output: Uint8Array<ArrayBuffer>): void {
    const bytes = new Uint8Array(this.#expectedView.push(output));
    this.#reference.begin({ kind: "output", sequence: ++this.#sequence, bytes });
    while (!this.#reference.step(Infinity));
    // Goes on from here after a failure, as the screen itself does.
    if (this.#reference.isCheckpointDue(true)) this.#reference.save();
  }

  /** Gives both the screen and what is expected of it another size. */
  resize(size: Size): void {
    this.#source.resize(this.#screen, size);
    this.#reference.begin({ kind: "resize", sequence: ++this.#sequence, size });
    while (!this.#reference.step(Infinity));
  }

  picture(): Promise<ScreenPicture> {
    return this.#screen.picture("text");
  }

  /** What the screen has to show. */
  expected(): ScreenPicture {
    return this.#reference.picture("text");
  }

  /** Looks at the other terminal; gives how long it took. */
  async lookAtOther(): Promise<number> {
    const startedAt = performance.now();
    const { text } = await this.#other.picture("text");
    const waitedMs = performance.now() - startedAt;
    if (text.trimEnd() !== UNTOUCHED) throw new Error(`another terminal shows ${text}`);
    this.#otherMs = Math.max(this.#otherMs, waitedMs);
    return waitedMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reference[Symbol.dispose]();
    await this.#screens[Symbol.asyncDispose]();
  }
}
