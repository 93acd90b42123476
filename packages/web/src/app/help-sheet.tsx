import { signal } from "@preact/signals";
import { Dialog } from "../parts/dialog.tsx";
import { KeyList, type KeyMeaning } from "../parts/key-list.tsx";
import { PLAYER_KEYS } from "../past/player-keys.ts";

export const isHelpOpen = signal(false);

const KEYS: readonly (readonly [title: string, keys: readonly KeyMeaning[]])[] = [
  [
    "Everywhere",
    [
      ["/", "Search or filter"],
      ["g t", "Terminals"],
      ["g r", "Recordings"],
      ["g s", "Search"],
      ["?", "This sheet"],
    ],
  ],
  [
    "Lists",
    [
      ["j  k", "Next, previous"],
      ["Enter", "Open"],
      ["n", "New terminal"],
    ],
  ],
  [
    "In a terminal",
    [
      ["Ctrl Shift C", "Copy the selection"],
      ["Ctrl Shift V", "Paste"],
      ["Ctrl Shift F", "Find on the screen"],
      ["Ctrl Shift E", "Leave the screen for the buttons"],
    ],
  ],
  ["In a recording", PLAYER_KEYS],
];

export function HelpSheet() {
  const close = (): void => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog isOpen={isHelpOpen.value} title="Keys" close={close}>
      <div class="key-table">
        {KEYS.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <KeyList keys={keys} />
          </section>
        ))}
      </div>
    </Dialog>
  );
}
