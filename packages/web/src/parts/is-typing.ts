/** Whether a key is for what has the focus, such as a field or a screen; what is not shown any more, as in a dialog that was closed, gets none. */
export function isTyping({ target }: Event): boolean {
  return (
    target instanceof HTMLElement &&
    target.checkVisibility() &&
    (target.isContentEditable || target.closest("input, textarea, select, dialog, .xterm") !== null)
  );
}
