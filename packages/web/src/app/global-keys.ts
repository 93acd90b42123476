import { useEffect } from "preact/hooks";
import { isTyping } from "../parts/is-typing.ts";
import { go } from "../state/place.ts";
import { isHelpOpen } from "./help-sheet.tsx";

/** Time for the second key of `g …`. */
const SECOND_KEY_MS = 1000;

const SECOND_KEYS: Readonly<Record<string, string>> = { t: "/", r: "/recordings", s: "/search" };

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

/** The filter of this view, or the global search where there is none. */
function focusFilter(): void {
  const field = document.querySelector<HTMLElement>("[data-filter]");
  if (field === null) go("/search");
  else field.focus();
}
