import { computed, signal } from "@preact/signals";

/** How bright the page is: as the machine says, or as somebody chose here. */
export type Theme = "auto" | "light" | "dark";

const THEME_KEY = "nacre.theme";
const READER_KEY = "nacre.screenReader";
const THEMES: readonly Theme[] = ["auto", "light", "dark"];

const darkMachine = matchMedia("(prefers-color-scheme: dark)");
const isMachineDark = signal(darkMachine.matches);
darkMachine.addEventListener("change", ({ matches }) => {
  isMachineDark.value = matches;
});

/** What was chosen. */
export const theme = signal<Theme>(
  THEMES.find((one) => one === localStorage.getItem(THEME_KEY)) ?? "auto",
);

/** Whether the page is dark now. */
export const isDark = computed(() =>
  theme.value === "auto" ? isMachineDark.value : theme.value === "dark",
);

/** Whether screens are also written as text that screen readers read. */
export const isScreenReaderMode = signal(localStorage.getItem(READER_KEY) === "on");

/** Lets the style of the page follow what was chosen. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

/** Chooses the next theme. */
export function toggleTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "auto";
  theme.value = next;
  if (next === "auto") localStorage.removeItem(THEME_KEY);
  else localStorage.setItem(THEME_KEY, next);
  applyTheme();
}

/** Turns the text for screen readers on or off. */
export function toggleScreenReaderMode(): void {
  isScreenReaderMode.value = !isScreenReaderMode.value;
  if (isScreenReaderMode.value) localStorage.setItem(READER_KEY, "on");
  else localStorage.removeItem(READER_KEY);
}
