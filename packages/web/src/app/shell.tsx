import type { ComponentChildren } from "preact";
import { unseenNeeds } from "../terminals/unseen-needs.ts";
import { Icon, Logo } from "../parts/icon.tsx";
import { ConnectionBadge } from "./connection-badge.tsx";
import { HelpSheet, isHelpOpen } from "./help-sheet.tsx";
import { useGlobalKeys } from "./global-keys.ts";
import type { LiveState } from "./live.ts";
import { linkTo } from "./place.ts";
import { StorageBanner } from "./storage-banner.tsx";
import { isScreenReaderMode, theme, toggleScreenReaderMode, toggleTheme } from "./theme.ts";
import type { View } from "./view.ts";

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

/** What is around every view: the way to the others, and whether the host is there. */
export function Shell({ live, section, children }: ShellProps) {
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

/** The fragment of the address is where we are, so the link must not change it. */
function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
