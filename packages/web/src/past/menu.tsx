import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Icon, type IconName } from "../parts/icon.tsx";

interface MenuProps {
  readonly label: string;
  readonly symbol: IconName;
  /** Whether the label is only said, not shown. */
  readonly isBare?: boolean;
  readonly children: ComponentChildren;
}

/** A few things to choose from, shown when asked for; it closes with Escape, with a choice, and when the focus leaves it. */
export function Menu({ label, symbol, isBare = false, children }: MenuProps) {
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
