import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { EmptyState } from "../parts/empty-state.tsx";
import { Icon, Logo } from "../parts/icon.tsx";
import { Toasts } from "../parts/toast.tsx";
import { PAST_VIEWS } from "../past/views.ts";
import { clientLabel, refusal, token } from "../state/credential.ts";
import { LiveState } from "../state/live-state.ts";
import { linkTo } from "../state/links.ts";
import { matchPath, place } from "../state/place.ts";
import { unseenNeeds } from "../state/seen.ts";
import { isScreenReaderMode, theme, toggleScreenReaderMode, toggleTheme } from "../state/theme.ts";
import type { View } from "../state/view.ts";
import { TerminalView } from "../terminal/terminal-view.tsx";
import { TerminalsView } from "../terminals/terminals-view.tsx";
import { useGlobalKeys } from "./global-keys.ts";
import { HelpSheet, isHelpOpen } from "./help-sheet.tsx";
import { StorageBanner } from "./storage-banner.tsx";

const WORDS = {
  connecting: "Connecting…",
  connected: "Connected",
  lost: "Reconnecting…",
} as const;

function ConnectionBadge({ live }: { readonly live: LiveState }) {
  const state = live.connection.value;
  return (
    <span class="connection" data-state={state} role="status">
      <span class="dot" aria-hidden="true" />
      <span class="connection-words">{WORDS[state]}</span>
    </span>
  );
}

const SECTIONS = [
  { section: "terminals", path: "/", label: "Terminals", icon: "terminal" },
  { section: "recordings", path: "/recordings", label: "Recordings", icon: "recording" },
  { section: "search", path: "/search", label: "Search", icon: "search" },
] as const;

interface ShellProps {
  readonly live: LiveState;
  readonly section: View["section"] | undefined;
  readonly children: ComponentChildren;
}

/** Navigation and connection state around every view. */
function Shell({ live, section, children }: ShellProps) {
  useGlobalKeys();
  const needCount = (live.terminals.value ?? []).flatMap((one) => unseenNeeds(one)).length;
  document.title = needCount === 0 ? "Nacre" : `(${needCount}) Nacre`;
  return (
    <>
      <a class="skip-link" href="#main" onClick={focusMain}>
        To the content
      </a>
      <header class="bar">
        <a class="brand" href="#/" aria-label="Nacre, all terminals">
          <Logo />
          <span>Nacre</span>
        </a>
        <nav class="sections" aria-label="Views">
          {SECTIONS.map((one) => (
            <a
              key={one.section}
              href={linkTo(one.path)}
              aria-current={one.section === section ? "page" : undefined}
            >
              <Icon name={one.icon} />
              <span>{one.label}</span>
              {one.section === "terminals" && needCount > 0 && (
                <span class="count" title={`${needCount} need you`}>
                  {needCount}
                </span>
              )}
            </a>
          ))}
        </nav>
        <div class="bar-end">
          <ConnectionBadge live={live} />
          <button
            type="button"
            class="icon-button"
            aria-pressed={isScreenReaderMode.value}
            title="Screen reader mode"
            aria-label="Screen reader mode"
            onClick={toggleScreenReaderMode}
          >
            <Icon name="reader" />
          </button>
          <button
            type="button"
            class="icon-button"
            title={`Theme: ${theme.value}`}
            aria-label={`Theme: ${theme.value}`}
            onClick={toggleTheme}
          >
            <Icon
              name={theme.value === "auto" ? "auto" : theme.value === "dark" ? "moon" : "sun"}
            />
          </button>
          <button
            type="button"
            class="icon-button wide-only"
            title="Keys (?)"
            aria-label="Keys"
            onClick={() => {
              isHelpOpen.value = true;
            }}
          >
            <Icon name="help" />
          </button>
        </div>
      </header>
      <StorageBanner live={live} />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <HelpSheet />
    </>
  );
}

/** The fragment is our location, so the skip link must not change it. */
function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** The first whose path matches is shown. */
const VIEWS: readonly View[] = [
  { path: "/", show: TerminalsView, section: "terminals" },
  { path: "/t/:id", show: TerminalView, section: "terminals" },
  ...PAST_VIEWS,
];

export function App() {
  const given = token.value;
  return given === undefined ? <TokenNeeded /> : <Connected token={given} />;
}

function Connected({ token: given }: { readonly token: string }) {
  const live = useMemo(() => new LiveState(given, clientLabel()), [given]);
  useEffect(() => () => live[Symbol.dispose](), [live]);
  const { path, query } = place.value;
  for (const { path: pattern, show: Show, section } of VIEWS) {
    const params = matchPath(pattern, path);
    if (params === undefined) continue;
    return (
      <Shell live={live} section={section}>
        <Show key={path} live={live} params={params} query={query} />
        <Toasts />
      </Shell>
    );
  }
  return (
    <Shell live={live} section={undefined}>
      <EmptyState title="There is nothing here" action={<a href="#/">All terminals</a>}>
        No view has this address.
      </EmptyState>
    </Shell>
  );
}

/** For visitors without a token. */
function TokenNeeded() {
  return (
    <main class="token-needed">
      <Logo />
      <h1>A token is needed</h1>
      {refusal.value !== undefined && <p role="alert">{refusal.value}</p>}
      <p>
        This page shows terminals only to whoever has a token. Open the address that{" "}
        <code>nacre serve</code> printed, or ask for it again:
      </p>
      <pre>
        <code>nacre status</code>
      </pre>
      <p class="quiet">
        The address ends with <code>#token=…</code>. The token stays in this tab and is gone when
        you close it.
      </p>
    </main>
  );
}
