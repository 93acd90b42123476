import { useEffect } from "preact/hooks";
import { isTyping } from "../app/global-keys.ts";

/** Lets `j` and `k` move between the items of the list that is shown; Enter opens them, as they are links. */
export function useListKeys(): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key !== "j" && event.key !== "k") return;
      const items = Array.from(document.querySelectorAll<HTMLElement>("[data-list-item]"));
      const at = items.findIndex((item) => item === document.activeElement);
      const to = at < 0 ? 0 : at + (event.key === "j" ? 1 : -1);
      items[Math.min(Math.max(to, 0), items.length - 1)]?.focus();
    };
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
}
