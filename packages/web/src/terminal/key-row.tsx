import type { TerminalSession } from "./opened.ts";
import { isCtrlHeld } from "./key-state.ts";

const KEYS = [
  { label: "Esc", name: "Escape", data: "\u001b" },
  { label: "Tab", name: "Tab", data: "\t" },
] as const;

const ARROWS = [
  { label: "←", name: "Left", letter: "D" },
  { label: "↓", name: "Down", letter: "B" },
  { label: "↑", name: "Up", letter: "A" },
  { label: "→", name: "Right", letter: "C" },
] as const;

const SIGNS = ["|", "/", "-", "~"] as const;

/** The keys that keyboards of phones do not have. */
export function KeyRow({ opened }: { readonly opened: TerminalSession }) {
  const type = (data: string): void => {
    opened.type(data);
    opened.screen.focus();
  };
  const arrow = (letter: string): void =>
    type(`\u001b${opened.screen.terminal.modes.applicationCursorKeysMode ? "O" : "["}${letter}`);
  // A key that took the focus would make the keyboard of the phone go away.
  const keepFocus = (event: Event): void => event.preventDefault();
  return (
    <div class="key-row" role="toolbar" aria-label="Keys" onPointerDown={keepFocus}>
      {KEYS.map(({ label, name, data }) => (
        <button key={name} type="button" aria-label={name} onClick={() => type(data)}>
          {label}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={isCtrlHeld.value}
        onClick={() => {
          isCtrlHeld.value = !isCtrlHeld.value;
          opened.screen.focus();
        }}
      >
        Ctrl
      </button>
      {ARROWS.map(({ label, name, letter }) => (
        <button key={name} type="button" aria-label={name} onClick={() => arrow(letter)}>
          {label}
        </button>
      ))}
      {SIGNS.map((sign) => (
        <button key={sign} type="button" onClick={() => type(sign)}>
          {sign}
        </button>
      ))}
    </div>
  );
}
