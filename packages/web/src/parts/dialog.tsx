import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Modal. */
export function Dialog({ isOpen, title, close, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before its content chooses the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog || dialog.open === isOpen) return;
    if (isOpen) dialog.showModal();
    else dialog.close();
  }, [isOpen]);
  const handleClick = (event: MouseEvent): void => {
    // The backdrop belongs to the dialog; a click there closes it.
    if (event.target === ref.current) close();
  };
  return (
    <dialog
      ref={ref}
      class="dialog"
      aria-labelledby={titleId}
      onClose={close}
      onClick={handleClick}
    >
      <div class="dialog-box">
        <header>
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {isOpen && children}
      </div>
    </dialog>
  );
}
