import { computed, signal } from "@preact/signals";

/** `auto` follows the system. */
export type Theme = "auto" | "light" | "dark";

const THEME_KEY = "nacre.theme";
const READER_KEY = "nacre.screenReader";
const THEMES: readonly Theme[] = ["auto", "light", "dark"];

const darkMachine = matchMedia("(prefers-color-scheme: dark)");
const isMachineDark = signal(darkMachine.matches);
darkMachine.addEventListener("change", ({ matches }) => {
  isMachineDark.value = matches;
});

export const theme = signal<Theme>(
  THEMES.find((one) => one === localStorage.getItem(THEME_KEY)) ?? "auto",
);

export const isDark = computed(() =>
  theme.value === "auto" ? isMachineDark.value : theme.value === "dark",
);

/** xterm.js's screen reader mode. */
export const isScreenReaderMode = signal(localStorage.getItem(READER_KEY) === "on");

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

export function toggleTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "auto";
  theme.value = next;
  if (next === "auto") localStorage.removeItem(THEME_KEY);
  else localStorage.setItem(THEME_KEY, next);
  applyTheme();
}

export function toggleScreenReaderMode(): void {
  isScreenReaderMode.value = !isScreenReaderMode.value;
  if (isScreenReaderMode.value) localStorage.setItem(READER_KEY, "on");
  else localStorage.removeItem(READER_KEY);
}
