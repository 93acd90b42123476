import { useEffect } from "preact/hooks";
import { isTyping } from "../parts/is-typing.ts";
import { go } from "../state/place.ts";
import { isHelpOpen } from "./help-sheet.tsx";

/** The second key of `g …` comes within this time. */
const SECOND_KEY_MS = 1000;

const SECOND_KEYS: Readonly<Record<string, string>> = { t: "/", r: "/recordings", s: "/search" };

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
