import { useEffect } from "preact/hooks";
import { isHelpOpen } from "./help-sheet.tsx";
import { go } from "./place.ts";

/** The second key of `g …` comes within this time. */
const SECOND_KEY_MS = 1000;

const SECOND_KEYS: Readonly<Record<string, string>> = { t: "/", r: "/recordings", s: "/search" };

/** Whether a key is for what has the focus, such as a field or a screen; what is not shown any more, as in a dialog that was closed, gets none. */
export function isTyping({ target }: Event): boolean {
  return (
    target instanceof HTMLElement &&
    target.checkVisibility() &&
    (target.isContentEditable || target.closest("input, textarea, select, dialog, .xterm") !== null)
  );
}

/** Lets the keys work that lead from view to view. */
export function useGlobalKeys(): void {
  useEffect(() => {
    let firstAt = Number.NEGATIVE_INFINITY;
    const handleKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key === "?") {
        isHelpOpen.value = true;
      } else if (event.key === "/") {
        focusFilter();
      } else if (
        event.timeStamp - firstAt < SECOND_KEY_MS &&
        SECOND_KEYS[event.key] !== undefined
      ) {
        go(SECOND_KEYS[event.key] ?? "/");
      } else {
        firstAt = event.key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
        return;
      }
      firstAt = Number.NEGATIVE_INFINITY;
      event.preventDefault();
    };
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
}

/** The field that filters what is shown, or the search of everything where there is none. */
function focusFilter(): void {
  const field = document.querySelector<HTMLElement>("[data-filter]");
  if (field === null) go("/search");
  else field.focus();
}
