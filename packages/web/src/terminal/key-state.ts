import { signal } from "@preact/signals";

/** Whether the next key is pressed together with Ctrl, as the key row of a phone says. */
export const isCtrlHeld = signal(false);

/** What a key that was typed means now. */
export function asTyped(data: string): string {
  if (!isCtrlHeld.value) return data;
  isCtrlHeld.value = false;
  return /^[a-z@[\\\]^_ ]$/i.test(data) ? String.fromCharCode(data.charCodeAt(0) & 31) : data;
}
