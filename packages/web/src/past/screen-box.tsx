import type { TerminalId } from "@nacre/contracts";
import { useEffect, useRef } from "preact/hooks";
import { showFailures } from "../parts/toast.tsx";
import type { Screen } from "../terminal/screen.ts";
import type { Playback } from "./playback.ts";
import { PlayedScreen } from "./played-screen.ts";

interface ScreenBoxProps {
  readonly playback: Playback;
  readonly id: TerminalId;
  readonly label: string;
  /** Called once the screen is there, to begin; what it returns is where. */
  readonly start: (screen: Screen) => Promise<void> | void;
}

/** The screen that a recording is played on; it only shows. */
export function ScreenBox({ playback, id, label, start }: ScreenBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let screen: Screen | undefined;
    let isGone = false;
    const open = async (): Promise<void> => {
      // The emulator is large; only who looks at a screen loads it.
      const { Screen } = await import("../terminal/screen.ts");
      if (isGone || !box.current) return;
      screen = new Screen({ label });
      screen.mount(box.current);
      await start(screen);
    };
    showFailures(open());
    return () => {
      isGone = true;
      playback.end();
      screen?.[Symbol.dispose]();
    };
  }, [playback, id]);
  return <div ref={box} class="played-screen" />;
}

/** The screen of the page as a player draws on it. */
export const playedOn = (screen: Screen): PlayedScreen =>
  new PlayedScreen({
    write: (data, drawn) => screen.terminal.write(data, drawn),
    resize: (size) => screen.resize(size),
  });
