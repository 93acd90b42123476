import { type Command, TerminalId } from "@nacre/contracts";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { go, linkTo } from "../app/place.ts";
import type { ViewProps } from "../app/view.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { Scrubber } from "../past/scrubber.tsx";
import { markSeen } from "../terminals/seen.ts";
import { Banners } from "./banners.tsx";
import { FindBar } from "./find-bar.tsx";
import { KeyRow } from "./key-row.tsx";
import { useOpened } from "./use-opened.ts";
import { useSummary } from "./use-summary.ts";
import { TerminalHead } from "./terminal-head.tsx";
import { Timeline } from "./timeline.tsx";

/** One terminal: its live screen, who drives it, and its commands. */
export function TerminalView(props: ViewProps) {
  const id = TerminalId.safeParse(`terminal:${props.params["id"] ?? ""}`);
  if (!id.success) return <NoTerminal />;
  return <Shown {...props} id={id.data} />;
}

const NoTerminal = () => (
  <EmptyState title="No such terminal" action={<a href={linkTo("/")}>All terminals</a>}>
    It may have been removed, or the address is not whole.
  </EmptyState>
);

function Shown({ live, query, id }: ViewProps & { readonly id: TerminalId }) {
  const found = useSummary(live, id);
  const box = useRef<HTMLDivElement>(null);
  const [isFinding, setFinding] = useState(false);
  const [isTimelineOpen, setTimelineOpen] = useState(false);
  const opened = useOpened({ live, id, box, openFind: () => setFinding(true) });
  const terminal = found === "none" ? undefined : found;
  const isMine = terminal !== undefined && live.isMine(terminal.claim.claim);
  const isOver = terminal !== undefined && terminal.state !== "active";
  useEffect(() => {
    if (opened) opened.screen.isFilling = isMine && !isOver;
  }, [opened, isMine, isOver]);
  // Whoever sees it and goes on at once has seen it.
  useLayoutEffect(() => {
    if (terminal && !document.hidden) markSeen(terminal);
  }, [terminal]);
  const isReader = live.isReader.value;
  useEffect(() => {
    if (opened) opened.screen.isReadOnly = isReader;
  }, [opened, isReader]);
  const screenState = opened?.state.value ?? "connecting";
  const isShown = opened?.isShown.value ?? false;
  useEffect(() => {
    // Who watches changes without an event.
    if (isShown) void live.reread();
  }, [live, isShown]);
  if (found === "none") return <NoTerminal />;
  const focusScreen = (): void => opened?.screen.focus();
  const jump = (command: Command): void => {
    setTimelineOpen(false);
    if (opened?.scrollTo(command.firstSequence)) return;
    const seconds = terminal
      ? (Date.parse(command.startedAt) - Date.parse(terminal.createdAt)) / 1000
      : 0;
    const t = String(Math.max(0, Math.round(seconds * 10) / 10));
    go(`/t/${id.slice("terminal:".length)}`, { t }, { replace: true });
  };
  return (
    <div class="terminal-view" data-timeline={isTimelineOpen || undefined}>
      {/* What is not known yet has its place already. */}
      {terminal === undefined && <div class="terminal-head" />}
      {terminal && (
        <TerminalHead
          live={live}
          terminal={terminal}
          screenState={screenState}
          focusScreen={focusScreen}
          openFind={() => setFinding(true)}
          turnTimeline={() => setTimelineOpen(!isTimelineOpen)}
        />
      )}
      {terminal && <Banners live={live} terminal={terminal} />}
      <div class="terminal-body">
        <div class="screen-area">
          <div class="screen-frame">
            <div ref={box} class="screen-box" data-driving={isMine || undefined} />
            {isFinding && opened && (
              <FindBar screen={opened.screen} close={() => setFinding(false)} />
            )}
            {opened?.failure.value !== undefined && (
              <p class="screen-failure" role="alert">
                {opened.failure.value}
              </p>
            )}
          </div>
          <Scrubber live={live} terminalId={id} query={query} focusScreen={focusScreen} />
          {opened && !isOver && !isReader && <KeyRow opened={opened} />}
        </div>
        {terminal ? (
          <Timeline live={live} terminal={terminal} jump={jump} />
        ) : (
          <aside class="timeline" aria-label="Commands" />
        )}
      </div>
    </div>
  );
}
