import type { Size } from "@nacre/contracts";
import { effect } from "@preact/signals";
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { type ITheme, Terminal } from "@xterm/xterm";
import { isDark, isScreenReaderMode } from "../state/theme.ts";
import { boundCounts, neverAnswer } from "./parser-guards.ts";

const DARK: ITheme = {
  background: "#0b0c11",
  foreground: "#e3e5f0",
  cursor: "#a9a4ff",
  cursorAccent: "#0b0c11",
  selectionBackground: "#4a46a0",
  black: "#1e212b",
  red: "#ff8f87",
  green: "#7ddba6",
  yellow: "#f0c878",
  blue: "#82b1ff",
  magenta: "#d3a4ff",
  cyan: "#70d6dd",
  white: "#cfd2e0",
  brightBlack: "#7d8298",
  brightRed: "#ffb3ad",
  brightGreen: "#a6efc5",
  brightYellow: "#ffe0a3",
  brightBlue: "#afcdff",
  brightMagenta: "#e6c8ff",
  brightCyan: "#a2ecf0",
  brightWhite: "#ffffff",
};

const LIGHT: ITheme = {
  background: "#fbfbfd",
  foreground: "#23242f",
  cursor: "#5046c8",
  cursorAccent: "#fbfbfd",
  selectionBackground: "#d5d1ff",
  black: "#23242f",
  red: "#b3261e",
  green: "#0f6b3f",
  yellow: "#7d5000",
  blue: "#1f56c4",
  magenta: "#8a2fb8",
  cyan: "#04697a",
  white: "#6d7085",
  brightBlack: "#5b5e72",
  brightRed: "#c93a31",
  brightGreen: "#17804f",
  brightYellow: "#936000",
  brightBlue: "#2f69dd",
  brightMagenta: "#9d42cc",
  brightCyan: "#077c90",
  brightWhite: "#3d3f4e",
};

const screenTheme = (isDark: boolean): ITheme => (isDark ? DARK : LIGHT);

// The CSP forbids inline styles. xterm.js writes some: style elements, and style attributes of cells with their own
// colours. Both go through the CSSOM instead, which the CSP allows.

const createElement = document.createElement.bind(document);

let isInstalled = false;

/** Redirects both to the CSSOM. */
function allowWrittenStyles(): void {
  if (isInstalled) return;
  isInstalled = true;
  const create = (tag: string, options?: ElementCreationOptions): HTMLElement =>
    tag === "style" ? styleElement() : createElement(tag, options);
  Object.defineProperty(document, "createElement", { value: create, configurable: true });
  const asWritten = Object.getOwnPropertyDescriptor(Element.prototype, "setAttribute");
  const setAttribute = function (this: Element, name: string, value: string): void {
    if (name === "style" && this instanceof HTMLElement) this.style.cssText = value;
    else Reflect.apply(asWritten?.value, this, [name, value]);
  };
  Object.defineProperty(Element.prototype, "setAttribute", { ...asWritten, value: setAttribute });
}

/** Its text is a style sheet for as long as it is on the page. */
function styleElement(): HTMLElement {
  const element = createElement("span");
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, "textContent", {
    get: () => "",
    set: (text: string) => {
      sheet.replaceSync(text);
    },
  });
  Object.defineProperty(element, "remove", {
    value: () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
      Element.prototype.remove.call(element);
    },
  });
  return element;
}

/** Default, in pixels. */
const FONT_SIZE = 14;

/** Smaller text is illegible; the rest is reached by scrolling. */
const MIN_FONT_SIZE = 5;

const MAX_FONT_SIZE = 18;

/** Earlier output is in the recording. */
const SCROLLBACK_LINES = 10_000;

export interface ScreenOptions {
  /** Accessible name. */
  readonly label: string;
  /** Typed, pasted or mouse input; absent: read-only. */
  handleInput?(data: string | Uint8Array): void;
  /** The size that fills the box; called only while `isFilling`. */
  handleWantedSize?(size: Size): void;
  /** True keeps the key from the program. */
  handleKey?(event: KeyboardEvent): boolean;
}

/** An xterm.js screen that never replies to queries, as the host did. */
export class Screen implements Disposable {
  readonly terminal: Terminal;
  readonly search = new SearchAddon();
  readonly #fit = new FitAddon();
  readonly #options: ScreenOptions;
  readonly #ends: (() => void)[] = [];
  /** Shows a link's target before it is opened; its text may say something else. */
  readonly #links = {
    activate: openLink,
    hover: (_: MouseEvent, uri: string): void => this.#say(`${uri}\nCtrl and a click open it`),
    leave: (): void => this.#say(""),
  };
  #box: HTMLElement | undefined;
  #isFilling = false;
  #isGone = false;

  constructor(options: ScreenOptions) {
    allowWrittenStyles();
    this.#options = options;
    this.terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: options.handleInput !== undefined,
      disableStdin: options.handleInput === undefined,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono-font"),
      fontSize: FONT_SIZE,
      minimumContrastRatio: 4.5,
      scrollback: SCROLLBACK_LINES,
      linkHandler: this.#links,
    });
    const { terminal } = this;
    neverAnswer(terminal.parser);
    boundCounts(terminal.parser);
    terminal.loadAddon(this.#fit);
    terminal.loadAddon(this.search);
    terminal.loadAddon(new Unicode11Addon());
    terminal.loadAddon(new WebLinksAddon(openLink, this.#links));
    terminal.unicode.activeVersion = "11";
    if (options.handleInput) {
      terminal.onData((data) => options.handleInput?.(data));
      terminal.onBinary((data) => options.handleInput?.(bytesOf(data)));
    }
    terminal.attachCustomKeyEventHandler((event) => options.handleKey?.(event) !== true);
  }

  /** Follows the size of the box. */
  mount(box: HTMLElement): void {
    this.#box = box;
    const { terminal } = this;
    terminal.open(box);
    terminal.textarea?.setAttribute("aria-label", this.#options.label);
    void drawFast(terminal);
    const watch = new ResizeObserver(() => this.#layOut());
    watch.observe(box);
    this.#ends.push(
      () => watch.disconnect(),
      effect(() => {
        terminal.options.theme = screenTheme(isDark.value);
      }),
      effect(() => {
        terminal.options.screenReaderMode = isScreenReaderMode.value;
      }),
    );
    this.#layOut();
  }

  get size(): Size {
    return { cols: this.terminal.cols, rows: this.terminal.rows };
  }

  /** Asks for a size that fills its box; otherwise the font is as large as the box allows. */
  set isFilling(isFilling: boolean) {
    this.#isFilling = isFilling;
    this.#layOut();
  }

  set isReadOnly(isReadOnly: boolean) {
    this.terminal.options.disableStdin = isReadOnly;
    this.terminal.options.cursorBlink = !isReadOnly;
  }

  /** Resolves when drawn. */
  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(data, resolve));
  }

  /** Replaces everything with a snapshot. */
  async restore(data: string | Uint8Array, size: Size): Promise<void> {
    this.resize(size);
    this.terminal.reset();
    await this.write(data);
  }

  resize({ cols, rows }: Size): void {
    if (cols === this.terminal.cols && rows === this.terminal.rows) return;
    this.terminal.resize(cols, rows);
    this.#layOut();
  }

  focus(): void {
    this.terminal.focus();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  [Symbol.dispose](): void {
    this.#isGone = true;
    for (const end of this.#ends) end();
    this.terminal.dispose();
  }

  #layOut(): void {
    const box = this.#box;
    if (!box || box.clientWidth === 0 || box.clientHeight === 0) return;
    if (this.#isFilling) {
      this.#setFontSize(FONT_SIZE);
      const wanted = this.#fit.proposeDimensions();
      if (wanted && Number.isFinite(wanted.cols) && Number.isFinite(wanted.rows)) {
        this.#options.handleWantedSize?.(wanted);
      }
      return;
    }
    this.#setFontSize(FONT_SIZE);
    const proposed = this.#fit.proposeDimensions();
    if (!proposed) return;
    const { cols, rows } = this.terminal;
    const share = Math.min(MAX_FONT_SIZE / FONT_SIZE, proposed.cols / cols, proposed.rows / rows);
    // Half-pixel steps are visible; smaller ones only make text uneven.
    this.#setFontSize(Math.max(MIN_FONT_SIZE, Math.floor(FONT_SIZE * share * 2) / 2));
  }

  #say(text: string): void {
    if (this.#box) this.#box.title = text;
  }

  #setFontSize(size: number): void {
    if (this.terminal.options.fontSize !== size) this.terminal.options.fontSize = size;
  }
}

/** `noopener`, and only http and https. */
function openLink(event: MouseEvent, uri: string): void {
  if (!(event.ctrlKey || event.metaKey) || !/^https?:\/\//i.test(uri)) return;
  window.open(uri, "_blank", "noopener,noreferrer");
}

const bytesOf = (data: string): Uint8Array =>
  Uint8Array.from(data, (letter) => letter.charCodeAt(0));

/** WebGL where it is hardware-accelerated; software rendering is slower than the DOM. */
async function drawFast(terminal: Terminal): Promise<void> {
  if (!hasGraphicsProcessor()) return;
  try {
    const { WebglAddon } = await import("@xterm/addon-webgl");
    const addon = new WebglAddon();
    addon.onContextLoss(() => addon.dispose());
    terminal.loadAddon(addon);
  } catch {
    // DOM rendering continues.
  }
}

function hasGraphicsProcessor(): boolean {
  const canvas = document.createElement("canvas");
  return canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true }) !== null;
}
