import type { MarkerFamily } from "./osc.ts";
import { lineOf, pathOf, percentDecoded, unescaped } from "./osc-text.ts";
import { readShellWord } from "./shell-word.ts";

/** What a shell says about its prompt and its Commands, whoever vouches for it. */
export type MarkerMeaning =
  | { readonly kind: "promptStart" }
  | { readonly kind: "promptEnd" }
  | { readonly kind: "continuationStart" }
  | { readonly kind: "continuationEnd" }
  | { readonly kind: "commandLine"; readonly line: string; readonly lineTruncated?: true }
  | { readonly kind: "commandStart"; readonly line?: string; readonly lineTruncated?: true }
  | { readonly kind: "commandEnd"; readonly exitCode?: number }
  | { readonly kind: "cwd"; readonly path: string };

/** A Marker that counts: `exact` when its code proves that our own integration wrote it, `marker` when anyone may have. */
export type Marker = MarkerMeaning & { readonly quality: "exact" | "marker" };

const WORKING_DIRECTORY = "Cwd=";

/** Reads the payload of OSC 133 or 633, without a code; undefined when it says nothing that matters here. */
export function readMarker(family: MarkerFamily, payload: string): MarkerMeaning | undefined {
  const [letter = "", ...fields] = payload.split(";");
  switch (letter) {
    case "A":
      return family === 133 ? promptOf(fields) : { kind: "promptStart" };
    case "B":
      return { kind: "promptEnd" };
    case "C":
      return { kind: "commandStart", ...(family === 133 ? givenLine(payload) : {}) };
    case "D":
      return { kind: "commandEnd", ...exitCodeOf(fields[0]) };
    case "P":
      return family === 133 ? promptOf(fields) : property(fields[0] ?? "");
  }
  if (family === 133) return undefined;
  switch (letter) {
    case "E":
      return { kind: "commandLine", ...lineOf(unescaped(fields[0] ?? "")) };
    case "F":
      return { kind: "continuationStart" };
    case "G":
      return { kind: "continuationEnd" };
  }
  return undefined;
}

/** The first prompt of a line unless told otherwise; a prompt at the right edge neither begins nor continues one. */
function promptOf(options: readonly string[]): MarkerMeaning | undefined {
  const kind = options.find((option) => option.startsWith("k=")) ?? "k=i";
  if (kind === "k=i") return { kind: "promptStart" };
  return kind === "k=s" || kind === "k=c" ? { kind: "continuationStart" } : undefined;
}

function property(assignment: string): MarkerMeaning | undefined {
  if (!assignment.startsWith(WORKING_DIRECTORY)) return undefined;
  const path = pathOf(unescaped(assignment.slice(WORKING_DIRECTORY.length)));
  return path === undefined ? undefined : { kind: "cwd", path };
}

function exitCodeOf(field = ""): { exitCode?: number } {
  return /^-?\d{1,10}$/.test(field) ? { exitCode: Number(field) } : {};
}

/** Shells that follow kitty tell the line when they start it; quoted for a shell, where a semicolon may stand in it. */
function givenLine(payload: string): { line?: string; lineTruncated?: true } {
  const url = /;cmdline_url=([^;]*)/.exec(payload)?.[1];
  if (url !== undefined) return lineOf(percentDecoded(url));
  const quoted = /;cmdline=([^]*)/.exec(payload)?.[1];
  const word = quoted === undefined ? undefined : readShellWord(quoted);
  return word === undefined ? {} : lineOf(word);
}
