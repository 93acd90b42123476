/** How long a keeper without programs waits for a daemon. */
const MAX_QUIET_MS = 10 * 60_000;

/** How long what ended programs left waits for a daemon that records it. */
const MAX_UNREAD_MS = 24 * 60 * 60_000;

/** Whether nobody needs the keeper any more, after so long without a daemon; never while a program is there. */
export function mayEnd(ptys: readonly { readonly isOver: boolean }[], quietMs: number): boolean {
  if (ptys.some(({ isOver }) => !isOver)) return false;
  return quietMs >= (ptys.length === 0 ? MAX_QUIET_MS : MAX_UNREAD_MS);
}
