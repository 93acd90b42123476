import type { TerminalSummary } from "@nacre/contracts";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { showFailures, showToast } from "../parts/toast.tsx";
import { playerPath } from "../state/links.ts";
import type { LiveState } from "../state/live-state.ts";
import { go } from "../state/place.ts";

interface TerminalMenuProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
}

/** Rarer actions: play, rename, end, remove. */
export function TerminalMenu({ live, terminal }: TerminalMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const menuId = useId();
  const [dialog, setDialog] = useState<"rename" | "end" | undefined>(undefined);
  const { id, state } = terminal;
  const isReader = live.isReader.value;
  const isOver = state !== "active" && state !== "creating" && state !== "killing";
  const choose = (act: () => void) => (): void => {
    menu.current?.hidePopover();
    act();
  };
  const remove = async (): Promise<void> => {
    await live.client.disposeTerminal({ id });
    await live.reread();
  };
  const end = async (): Promise<void> => {
    const { survivors } = await live.client.killTerminal({ id });
    if (survivors.length > 0) showToast(`${survivors.length} of its processes still run.`, "bad");
  };
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={`More for ${terminal.title}`}
        title="More"
        popovertarget={menuId}
      >
        <Icon name="more" />
      </button>
      <div ref={menu} id={menuId} class="popup-menu" popover="auto" onToggle={placeMenu}>
        <button type="button" onClick={choose(() => go(playerPath(id)))}>
          <Icon name="play" /> Play its recording
        </button>
        {!isReader && (
          <button type="button" onClick={choose(() => setDialog("rename"))}>
            <Icon name="pen" /> Rename
          </button>
        )}
        {!isReader && isOver && (
          <button type="button" onClick={choose(() => showFailures(remove()))}>
            <Icon name="close" /> Take off the list
          </button>
        )}
        {!isReader && !isOver && (
          <button type="button" class="bad" onClick={choose(() => setDialog("end"))}>
            <Icon name="stop" /> End its programs
          </button>
        )}
      </div>
      <Dialog
        isOpen={dialog === "rename"}
        title="Rename"
        close={() => setDialog((now) => (now === "rename" ? undefined : now))}
      >
        <RenameForm live={live} terminal={terminal} close={() => setDialog(undefined)} />
      </Dialog>
      <Dialog
        isOpen={dialog === "end"}
        title="End its programs?"
        close={() => setDialog((now) => (now === "end" ? undefined : now))}
      >
        <p>
          Everything that runs in <strong>{terminal.title}</strong> ends. The recording stays.
        </p>
        <div class="dialog-actions">
          <Button onClick={() => setDialog(undefined)}>Cancel</Button>
          <Button
            look="bad"
            onClick={() => {
              setDialog(undefined);
              showFailures(end());
            }}
          >
            End
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** Below its button, and inside the window. */
function placeMenu(event: Event): void {
  const { currentTarget } = event;
  if (!(currentTarget instanceof HTMLElement) || !currentTarget.matches(":popover-open")) return;
  const button = document.querySelector(`[popovertarget="${CSS.escape(currentTarget.id)}"]`);
  if (!button) return;
  const { right, bottom, top } = button.getBoundingClientRect();
  const { offsetWidth, offsetHeight, style } = currentTarget;
  const below = bottom + 4;
  style.left = `${Math.max(8, right - offsetWidth)}px`;
  style.top = `${below + offsetHeight > innerHeight ? top - offsetHeight - 4 : below}px`;
}

function RenameForm({ live, terminal, close }: TerminalMenuProps & { readonly close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const rename = async (): Promise<void> => {
    await live.client.renameTerminal({ id: terminal.id, title: field.current?.value ?? "" });
    close();
    await live.reread();
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        showFailures(rename());
      }}
    >
      <label class="field">
        <span>Title</span>
        <input ref={field} class="input" maxLength={256} defaultValue={terminal.title} />
      </label>
      <div class="dialog-actions">
        <Button onClick={close}>Cancel</Button>
        <Button look="primary" type="submit">
          Rename
        </Button>
      </div>
    </form>
  );
}
