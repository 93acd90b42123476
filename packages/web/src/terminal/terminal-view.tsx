import { INPUT_WORDS, isAnswerRead, isForPeople } from "@nacre/client/ui";
import { type Command, NacreError, TerminalId, type TerminalSummary } from "@nacre/contracts";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { EmptyState } from "../parts/empty-state.tsx";
import { Icon } from "../parts/icon.tsx";
import { copyText, showError } from "../parts/toast.tsx";
import { Scrubber } from "../past/scrubber.tsx";
import type { Screen } from "../screen/screen.ts";
import type { LiveState } from "../state/live-state.ts";
import { linkTo } from "../state/links.ts";
import { go } from "../state/place.ts";
import { markSeen } from "../state/seen.ts";
import type { ViewProps } from "../state/view.ts";
import { AnswerBox, ControlAnswers } from "../terminal-controls/answer-box.tsx";
import { NeedWords } from "../terminal-controls/need-words.tsx";
import { isCtrlHeld } from "./key-modifiers.ts";
import type { TerminalSession } from "./terminal-session.ts";
import { TerminalHead } from "./terminal-head.tsx";
import { Timeline } from "./timeline.tsx";

/** What of this terminal waits for a person, with the way to answer. */
function Banners({
  live,
  terminal,
}: {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
}) {
  const { id, inputNeeded, inputRequests = [], controlRequests = [], claim } = terminal;
  // A driver types on the screen; a secret is safer in a field that hides it.
  const isAsked =
    inputNeeded !== undefined &&
    !inputRequests.some(({ kind }) => kind === "type") &&
    isForPeople(terminal, inputNeeded) &&
    (inputNeeded.kind === "secret" || !live.isMine(claim.claim));
  return (
    <div class="banners" aria-live="polite">
      {terminal.recordingBlocked && (
        <div class="banner" data-tone="bad">
          <Icon name="warn" />
          <p>
            This terminal waits for the disk: what you see is from before. Keys still reach its
            program.
          </p>
        </div>
      )}
      {inputRequests.map((request) => (
        <div class="banner" data-tone="warn" key={request.requestId}>
          <Icon name={request.secret ? "key" : "pen"} />
          <p>
            <NeedWords live={live} need={{ kind: "question", terminal, request }} />
          </p>
          <AnswerBox
            live={live}
            terminalId={id}
            kind={request.secret ? "secret" : "line"}
            request={request}
            isRead={isAnswerRead(terminal, request)}
          />
        </div>
      ))}
      {controlRequests.map((request) => (
        <div class="banner" data-tone="info" key={request.requestId}>
          <Icon name="hand" />
          <p>
            <NeedWords live={live} need={{ kind: "control", terminal, request }} />
          </p>
          <ControlAnswers live={live} terminalId={id} request={request} />
        </div>
      ))}
      {isAsked && (
        <div class="banner" data-tone="warn">
          <Icon name={inputNeeded.kind === "secret" ? "key" : "pen"} />
          <p>
            {inputNeeded.kind === "continuation"
              ? `The shell ${INPUT_WORDS.continuation}; Ctrl-C cancels it.`
              : `The program ${INPUT_WORDS[inputNeeded.kind]}.`}
          </p>
          {inputNeeded.kind !== "continuation" && (
            <AnswerBox live={live} terminalId={id} kind={inputNeeded.kind} />
          )}
        </div>
      )}
    </div>
  );
}

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

/** Includes the scrollback. */
function FindBar({ screen, close }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState({ resultIndex: -1, resultCount: 0 });
  // At once: the next key is for this field, not for the program.
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

/** Keys missing on phones. */
function KeyRow({ opened }: { readonly opened: TerminalSession }) {
  const type = (data: string): void => {
    opened.type(data);
    opened.screen.focus();
  };
  const arrow = (letter: string): void =>
    type(`\u001b${opened.screen.terminal.modes.applicationCursorKeysMode ? "O" : "["}${letter}`);
  // Taking the focus would close the phone's keyboard.
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
  // Leaving at once still counts as seen.
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
    // Viewers change without an event.
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

/** From the list, or as it left the list; `none` when it never existed. */
function useSummary(live: LiveState, id: TerminalId): TerminalSummary | "none" | undefined {
  const [ended, setEnded] = useState<TerminalSummary | "none" | undefined>(undefined);
  const [last, setLast] = useState<TerminalSummary | undefined>(undefined);
  const listed = live.find(id);
  const isListKnown = live.terminals.value !== undefined;
  useEffect(() => {
    if (listed) setLast(listed);
  }, [listed]);
  useEffect(() => {
    if (!isListKnown || listed) return;
    const read = async (): Promise<void> => {
      try {
        setEnded(await readEnded(live, id));
      } catch (error) {
        if (!(error instanceof NacreError && error.code === "terminal_not_found")) throw error;
        setEnded("none");
      }
    };
    read().catch(showError);
  }, [live, id, isListKnown, listed === undefined]);
  return listed ?? ended ?? last;
}

async function readEnded(live: LiveState, id: TerminalId): Promise<TerminalSummary> {
  const data = await live.client.readTerminal({ id });
  const { name, owner, createdAt, state, claim, exitCode, signal, cwd, inputPolicy } = data;
  const { commandDetection, viewers } = data;
  return {
    id,
    name,
    owner,
    createdAt,
    title: data.title || name || data.command || "shell",
    state,
    claim,
    exitCode,
    signal,
    cwd,
    commandDetection,
    inputPolicy,
    viewers,
  };
}

interface UseOpenedOptions {
  readonly live: LiveState;
  readonly id: TerminalId;
  readonly box: RefObject<HTMLElement | null>;
  readonly openFind: () => void;
}

/** While the view is shown; loads the emulator first. */
function useOpened({ live, id, box, openFind }: UseOpenedOptions): TerminalSession | undefined {
  const [opened, setOpened] = useState<TerminalSession | undefined>(undefined);
  useEffect(() => {
    let made: TerminalSession | undefined;
    let isGone = false;
    const open = async (): Promise<void> => {
      const { TerminalSession: Made } = await import("./terminal-session.ts");
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

/** Page shortcuts inside a screen all use Ctrl+Shift, which programs do not get anyway. */
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
      // The browser pastes by itself, without a permission prompt.
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
