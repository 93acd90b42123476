import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import type { Screen } from "./screen.ts";

const DECORATIONS = {
  matchBackground: "#f5c26b",
  matchOverviewRuler: "#f5c26b",
  activeMatchBackground: "#ff9d5c",
  activeMatchColorOverviewRuler: "#ff9d5c",
} as const;

interface FindBarProps {
  readonly screen: Screen;
  readonly close: () => void;
}

/** Finds text on the screen and in what scrolled off it. */
export function FindBar({ screen, close }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState({ resultIndex: -1, resultCount: 0 });
  // At once: what is typed next is for this field, not for the program.
  useLayoutEffect(() => {
    field.current?.focus();
    const heard = screen.search.onDidChangeResults(setFound);
    return () => {
      heard.dispose();
      screen.search.clearDecorations();
      screen.focus();
    };
  }, [screen]);
  const find = (isBack: boolean, incremental = false): void => {
    const text = field.current?.value ?? "";
    const options = { decorations: DECORATIONS, incremental };
    if (isBack) screen.search.findPrevious(text, options);
    else screen.search.findNext(text, options);
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") find(!event.shiftKey);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  };
  return (
    <div class="find-bar" role="search">
      <input
        ref={field}
        class="input"
        type="search"
        aria-label="Find on the screen"
        placeholder="Find"
        onInput={() => find(true, true)}
        onKeyDown={handleKey}
      />
      <span class="quiet time" role="status">
        {found.resultCount === 0 ? "none" : `${found.resultIndex + 1} of ${found.resultCount}`}
      </span>
      <button type="button" class="icon-button" aria-label="Before" onClick={() => find(true)}>
        <Icon name="up" />
      </button>
      <button type="button" class="icon-button" aria-label="After" onClick={() => find(false)}>
        <Icon name="down" />
      </button>
      <button type="button" class="icon-button" aria-label="Close" onClick={close}>
        <Icon name="close" />
      </button>
    </div>
  );
}
