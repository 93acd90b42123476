import type { Size } from "@nacre/contracts";

/** How long a message can be read before its row shows the program again. */
const SHOWN_MS = 4000;

/** A program that writes is not interrupted; a message comes when it was quiet for this long. */
const QUIET_MS = 120;

/** What a message is shown with. */
export interface NoticeScreen {
  readonly size: Size;
  write(text: string): Promise<void>;
  /** Whether something may be written now without cutting a sequence of the program. */
  readonly isWhole: boolean;
  /** What the program shows in the last row, as sequences that draw it. */
  readLastRow(): Promise<string>;
  /** Does one thing with the screen after the other. */
  inTurn(task: () => Promise<void>): Promise<void>;
}

/** A message in the last row, which goes away before the program writes anything and leaves no trace. */
export class Notice implements AsyncDisposable {
  readonly #screen: NoticeScreen;
  #text: string | undefined;
  /** What is shown whenever nothing else is. */
  #standing: string | undefined;
  /** What the row showed before; undefined while no message stands there. */
  #covered: string | undefined;
  #leftMs = 0;
  #shownAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: NoticeScreen) {
    this.#screen = screen;
  }

  /** Shows a message as soon as the program is quiet, instead of the one before; `lasting` ones stay until they are taken away. */
  show(text: string, isLasting = false): void {
    this.#text = text;
    this.#leftMs = isLasting ? Number.POSITIVE_INFINITY : SHOWN_MS;
    this.#after(0, () => this.#draw());
  }

  /** Shows a message whenever no other is shown, until it is taken away with undefined. */
  stand(text: string | undefined): void {
    const isShown = this.#text !== undefined && this.#text !== this.#standing;
    this.#standing = text;
    if (isShown) return;
    if (text === undefined) this.clear();
    else this.show(text, true);
  }

  /** Takes the message away. */
  clear(): void {
    this.#text = undefined;
    this.#after(0, () => this.uncover());
  }

  /** Takes the message off the screen for now, because the program is about to write; in the turn of whoever calls. */
  async uncover(): Promise<void> {
    const covered = this.#covered;
    if (covered === undefined) return;
    this.#covered = undefined;
    this.#leftMs -= performance.now() - this.#shownAt;
    await this.#screen.write(this.#inLastRow(covered));
  }

  /** The program has written; the message comes back when it is quiet. */
  resume(): void {
    if (this.#text !== undefined) this.#after(QUIET_MS, () => this.#draw());
  }

  /** The screen shows something new. */
  forget(): void {
    this.#covered = undefined;
  }

  /** Leaves the row as the program has it; not in turn, since a host that does not answer may hold that up. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#text = undefined;
    await this.uncover();
  }

  async #draw(): Promise<void> {
    await this.uncover();
    const text = this.#text;
    if (text === undefined || this.#leftMs <= 0) return;
    if (!this.#screen.isWhole) return this.resume();
    const covered = await this.#screen.readLastRow();
    // Meanwhile there may be another message, or nobody to read one.
    if (this.#text !== text) return;
    this.#covered = covered;
    this.#shownAt = performance.now();
    const { cols } = this.#screen.size;
    const words = ` ${text} `.slice(0, cols).padEnd(cols);
    await this.#screen.write(this.#inLastRow(`\x1b[0;7m${words}\x1b[0m`));
    if (Number.isFinite(this.#leftMs)) this.#after(this.#leftMs, () => this.#expire());
  }

  async #expire(): Promise<void> {
    this.#text = this.#standing;
    this.#leftMs = Number.POSITIVE_INFINITY;
    await this.#draw();
  }

  #after(delayMs: number, task: () => Promise<void>): void {
    clearTimeout(this.#timer);
    // A screen that cannot be drawn any more is somebody else's trouble: whoever reads from it is told.
    const run = (): void => void this.#screen.inTurn(task).catch(() => undefined);
    this.#timer = setTimeout(run, delayMs);
  }

  /** Draws in the last row and goes back to where the program is. */
  #inLastRow(content: string): string {
    return `\x1b7\x1b[?6l\x1b[${this.#screen.size.rows};1H\x1b[0m\x1b[2K${content}\x1b8`;
  }
}
