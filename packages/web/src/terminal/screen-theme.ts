import type { ITheme } from "@xterm/xterm";

/** The colours of a screen by night. */
const DARK: ITheme = {
  background: "#0b0c11",
  foreground: "#e3e5f0",
  cursor: "#a9a4ff",
  cursorAccent: "#0b0c11",
  selectionBackground: "#4a46a0",
  black: "#1e212b",
  red: "#ff8f87",
  green: "#7ddba6",
  yellow: "#f0c878",
  blue: "#82b1ff",
  magenta: "#d3a4ff",
  cyan: "#70d6dd",
  white: "#cfd2e0",
  brightBlack: "#7d8298",
  brightRed: "#ffb3ad",
  brightGreen: "#a6efc5",
  brightYellow: "#ffe0a3",
  brightBlue: "#afcdff",
  brightMagenta: "#e6c8ff",
  brightCyan: "#a2ecf0",
  brightWhite: "#ffffff",
};

/** The colours of a screen by day. */
const LIGHT: ITheme = {
  background: "#fbfbfd",
  foreground: "#23242f",
  cursor: "#5046c8",
  cursorAccent: "#fbfbfd",
  selectionBackground: "#d5d1ff",
  black: "#23242f",
  red: "#b3261e",
  green: "#0f6b3f",
  yellow: "#7d5000",
  blue: "#1f56c4",
  magenta: "#8a2fb8",
  cyan: "#04697a",
  white: "#6d7085",
  brightBlack: "#5b5e72",
  brightRed: "#c93a31",
  brightGreen: "#17804f",
  brightYellow: "#936000",
  brightBlue: "#2f69dd",
  brightMagenta: "#9d42cc",
  brightCyan: "#077c90",
  brightWhite: "#3d3f4e",
};

/** The colours of a screen. */
export const screenTheme = (isDark: boolean): ITheme => (isDark ? DARK : LIGHT);
