import { signal } from "@preact/signals";

const TOKEN_KEY = "nacre.token";
const LABEL_KEY = "nacre.client";

/** Why the host refused. */
export const refusal = signal<string | undefined>(undefined);

/** Per tab; gone when the tab is closed. */
export const token = signal<string | undefined>(takeToken());

addEventListener("hashchange", () => {
  const given = takeToken();
  if (given !== undefined && given !== token.value) location.reload();
});

/** Removes the token from the address, so that it is neither shown nor kept in the history. */
function takeToken(): string | undefined {
  const details = new URLSearchParams(location.hash.slice(1));
  const given = details.get("token");
  if (given) {
    sessionStorage.setItem(TOKEN_KEY, given);
    const to = details.get("to") ?? "";
    history.replaceState(null, "", location.pathname + (to.startsWith("/") ? `#${to}` : ""));
  }
  return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
}

export function forgetToken(reason?: string): void {
  sessionStorage.clear();
  refusal.value = reason;
  token.value = undefined;
}

/** Identifies this tab; survives a reload, so that it keeps its claims. */
export function clientLabel(): string {
  const kept = sessionStorage.getItem(LABEL_KEY);
  if (kept !== null) return kept;
  const made = `page-${crypto.randomUUID().slice(0, 8)}`;
  sessionStorage.setItem(LABEL_KEY, made);
  return made;
}
