import { NacreError } from "@nacre/contracts";
import { signal } from "@preact/signals";
import { Icon } from "./icon.tsx";

interface Toast {
  readonly key: number;
  readonly text: string;
  readonly tone: "info" | "bad";
}

/** Long enough to read two lines. */
const SHOWN_MS = 6000;
/** More would cover the page. */
const MAX_TOASTS = 4;

const toasts = signal<readonly Toast[]>([]);
let nextKey = 0;

export function showToast(text: string, tone: Toast["tone"] = "info"): void {
  const key = nextKey++;
  toasts.value = [...toasts.value, { key, text, tone }].slice(-MAX_TOASTS);
  setTimeout(() => dismiss(key), SHOWN_MS);
}

/** For errors that nobody else handles. */
export function showError(error: unknown): void {
  showToast(describeError(error), "bad");
}

export function describeError(error: unknown): string {
  if (!(error instanceof NacreError)) return "Something on this page went wrong.";
  const message = error.message.charAt(0).toUpperCase() + error.message.slice(1);
  return `${message}${/[.!?]$/.test(message) ? "" : "."}`;
}

/** For work that nobody awaits. */
export function showFailures(work: Promise<unknown>): void {
  work.catch(showError);
}

function dismiss(key: number): void {
  toasts.value = toasts.value.filter((one) => one.key !== key);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ key, text, tone }) => (
        <div key={key} class="toast" data-tone={tone}>
          <span>{text}</span>
          <button
            type="button"
            class="icon-button"
            aria-label="Dismiss"
            onClick={() => dismiss(key)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(said);
  } catch {
    showToast("The browser does not let this page copy.", "bad");
  }
}
