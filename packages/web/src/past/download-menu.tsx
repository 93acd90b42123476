import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Icon, type IconName } from "../parts/icon.tsx";
import { showFailures } from "../parts/toast.tsx";
import type { LiveState } from "../state/live-state.ts";

/** The forms in which people take a recording away, in the words they know. */
const DOWNLOADS = [
  { format: "asciicast3", label: "Asciicast", hint: ".cast" },
  { format: "text", label: "Text", hint: ".txt" },
  { format: "html", label: "HTML", hint: ".html" },
  { format: "jsonLines", label: "JSON lines", hint: ".jsonl" },
  { format: "raw", label: "Raw bytes", hint: ".raw" },
] as const;

/** Names a form. */
type DownloadFormat = (typeof DOWNLOADS)[number]["format"];

/** The browser begins to save within this time. */
const SAVED_MS = 60_000;

/** Fetches a recording in a form and lets the browser save it. */
async function download(
  client: NacreClient,
  id: TerminalId,
  format: DownloadFormat,
): Promise<void> {
  const { bytes, fileName } = await client.exportRecording({ id, format });
  // Never a type that a browser would show: what a program wrote must not become a page of ours.
  const headers = { "content-type": "application/octet-stream" };
  const blob = await new Response(bytes, { headers }).blob();
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), SAVED_MS);
}

interface DownloadMenuProps {
  readonly live: LiveState;
  readonly id: TerminalId;
  readonly isBare?: boolean;
}

/** The forms in which a recording can be saved. */
export function DownloadMenu({ live, id, isBare = false }: DownloadMenuProps) {
  return (
    <Menu label="Export" symbol="save" isBare={isBare}>
      {DOWNLOADS.map(({ format, label, hint }) => (
        <button
          key={format}
          type="button"
          class="menu-choice"
          onClick={() => showFailures(download(live.client, id, format))}
        >
          <span>{label}</span>
          <span class="quiet mono">{hint}</span>
        </button>
      ))}
    </Menu>
  );
}

interface MenuProps {
  readonly label: string;
  readonly symbol: IconName;
  /** Whether the label is only said, not shown. */
  readonly isBare?: boolean;
  readonly children: ComponentChildren;
}

/** A few things to choose from, shown when asked for; it closes with Escape, with a choice, and when the focus leaves it. */
function Menu({ label, symbol, isBare = false, children }: MenuProps) {
  const ref = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (ref.current) ref.current.open = false;
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !ref.current?.open) return;
    event.stopPropagation();
    close();
    ref.current.querySelector("summary")?.focus();
  };
  const handleBlur = ({ relatedTarget }: FocusEvent): void => {
    if (!(relatedTarget instanceof Node) || !ref.current?.contains(relatedTarget)) close();
  };
  return (
    <details ref={ref} class="menu" onKeyDown={handleKey} onFocusOut={handleBlur}>
      <summary class={isBare ? "icon-button" : "button plain"} aria-label={label} title={label}>
        <Icon name={symbol} />
        {!isBare && <span>{label}</span>}
      </summary>
      <div class="menu-list" onClick={close}>
        {children}
      </div>
    </details>
  );
}
