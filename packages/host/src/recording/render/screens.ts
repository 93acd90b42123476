import type { Size } from "@nacre/contracts";
import type { FinalLines } from "./final-lines.ts";
import { TextScreen } from "./screen.ts";

/** The primary and the alternate screen, one of which is shown. */
export class TextScreens {
  readonly primary: TextScreen;
  /** Kept when it is left, because some programs come and go hundreds of times a second. */
  #alternate: TextScreen | undefined;
  #shown: TextScreen;
  #size: Size;
  readonly #isStyled: boolean;
  readonly #final: FinalLines;

  constructor(size: Size, isStyled: boolean, final: FinalLines) {
    this.#size = size;
    this.#isStyled = isStyled;
    this.#final = final;
    this.primary = new TextScreen(size, isStyled, final);
    this.#shown = this.primary;
  }

  get shown(): TextScreen {
    return this.#shown;
  }

  /** The alternate screen while it is shown. */
  get alternate(): TextScreen | undefined {
    return this.#shown === this.primary ? undefined : this.#shown;
  }

  /** Shows the alternate screen, which is always blank then; the primary stays as it is. */
  enterAlternate(): void {
    if (this.alternate) return;
    this.#alternate ??= new TextScreen(this.#size, this.#isStyled, this.#final);
    this.#alternate.reset();
    this.#show(this.#alternate);
  }

  /** Shows the primary screen again; what is on the alternate one becomes final. */
  leaveAlternate(): void {
    if (!this.alternate) return;
    this.#shown.finish();
    this.#show(this.primary);
  }

  /** Makes all that is on both screens final, the older primary first, and shows that one. */
  finish(): void {
    this.primary.finish();
    this.leaveAlternate();
  }

  resize(size: Size): void {
    this.#size = size;
    this.primary.resize(size);
    if (this.alternate) this.alternate.resize(size);
    else this.#alternate = undefined;
  }

  #show(screen: TextScreen): void {
    Object.assign(screen.cursor, this.#shown.cursor);
    this.#shown = screen;
  }
}
