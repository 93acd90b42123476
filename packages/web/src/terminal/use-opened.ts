import type { TerminalId } from "@nacre/contracts";
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { copyText } from "../parts/clipboard.ts";
import { showError } from "../parts/toast.tsx";
import type { TerminalSession } from "./opened.ts";

interface UseOpenedOptions {
  readonly live: LiveState;
  readonly id: TerminalId;
  readonly box: RefObject<HTMLElement | null>;
  readonly openFind: () => void;
}

/** Opens a terminal in a box for as long as the view is shown; what draws it is loaded first. */
export function useOpened({
  live,
  id,
  box,
  openFind,
}: UseOpenedOptions): TerminalSession | undefined {
  const [opened, setOpened] = useState<TerminalSession | undefined>(undefined);
  useEffect(() => {
    let made: TerminalSession | undefined;
    let isGone = false;
    const open = async (): Promise<void> => {
      const { TerminalSession: Made } = await import("./opened.ts");
      if (isGone || !box.current) return;
      const one = new Made(live, id, { handleKey: (event) => handleKey(event, one, openFind) });
      made = one;
      setOpened(one);
      void one.show(box.current);
      one.screen.focus();
    };
    open().catch(showError);
    return () => {
      isGone = true;
      made?.[Symbol.dispose]();
    };
  }, [live, id]);
  return opened;
}

/** The keys of the page inside a screen, all with Ctrl and Shift: nothing that a program could want. */
function handleKey(
  event: KeyboardEvent,
  { screen }: TerminalSession,
  openFind: () => void,
): boolean {
  if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return false;
  const isDown = event.type === "keydown";
  switch (event.code) {
    case "KeyC":
      event.preventDefault();
      if (isDown && screen.terminal.hasSelection()) {
        void copyText(screen.terminal.getSelection(), "Copied.");
      }
      return true;
    case "KeyV":
      // The browser pastes by itself, without asking for a permission.
      return true;
    case "KeyF":
      event.preventDefault();
      if (isDown) openFind();
      return true;
    case "KeyE":
      event.preventDefault();
      if (isDown) document.querySelector<HTMLElement>(".terminal-head button")?.focus();
      return true;
    default:
      return false;
  }
}
