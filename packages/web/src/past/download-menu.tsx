import type { TerminalId } from "@nacre/contracts";
import type { LiveState } from "../app/live.ts";
import { showFailures } from "../parts/toast.tsx";
import { download, DOWNLOADS } from "./download.ts";
import { Menu } from "./menu.tsx";

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
