/** Whether a key is for the focused field or screen; a hidden element, as in a closed dialog, does not count. */
export function isTyping({ target }: Event): boolean {
  return (
    target instanceof HTMLElement &&
    target.checkVisibility() &&
    (target.isContentEditable || target.closest("input, textarea, select, dialog, .xterm") !== null)
  );
}
