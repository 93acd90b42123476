import type { MarkerFamily } from "./osc.ts";
import { decodeLine, decodePath, percentDecode, unescapeHex } from "./osc-text.ts";
import { parseShellWord } from "./shell-word.ts";

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
export function parseMarker(family: MarkerFamily, payload: string): MarkerMeaning | undefined {
  const [letter = "", ...fields] = payload.split(";");
  switch (letter) {
    case "A":
      return family === 133 ? parsePrompt(fields) : { kind: "promptStart" };
    case "B":
      return { kind: "promptEnd" };
    case "C":
      return { kind: "commandStart", ...(family === 133 ? parseGivenLine(payload) : {}) };
    case "D":
      return { kind: "commandEnd", ...parseExitCode(fields[0]) };
    case "P":
      return family === 133 ? parsePrompt(fields) : parseProperty(fields[0] ?? "");
  }
  if (family === 133) return undefined;
  switch (letter) {
    case "E":
      return { kind: "commandLine", ...decodeLine(unescapeHex(fields[0] ?? "")) };
    case "F":
      return { kind: "continuationStart" };
    case "G":
      return { kind: "continuationEnd" };
  }
  return undefined;
}

/** The first prompt of a line unless told otherwise; a prompt at the right edge neither begins nor continues one. */
function parsePrompt(options: readonly string[]): MarkerMeaning | undefined {
  const kind = options.find((option) => option.startsWith("k=")) ?? "k=i";
  if (kind === "k=i") return { kind: "promptStart" };
  return kind === "k=s" || kind === "k=c" ? { kind: "continuationStart" } : undefined;
}

function parseProperty(assignment: string): MarkerMeaning | undefined {
  if (!assignment.startsWith(WORKING_DIRECTORY)) return undefined;
  const path = decodePath(unescapeHex(assignment.slice(WORKING_DIRECTORY.length)));
  return path === undefined ? undefined : { kind: "cwd", path };
}

function parseExitCode(field = ""): { exitCode?: number } {
  return /^-?\d{1,10}$/.test(field) ? { exitCode: Number(field) } : {};
}

/** Shells that follow kitty tell the line when they start it; quoted for a shell, where a semicolon may stand in it. */
function parseGivenLine(payload: string): { line?: string; lineTruncated?: true } {
  const url = /;cmdline_url=([^;]*)/.exec(payload)?.[1];
  if (url !== undefined) return decodeLine(percentDecode(url));
  const quoted = /;cmdline=([^]*)/.exec(payload)?.[1];
  const word = quoted === undefined ? undefined : parseShellWord(quoted);
  return word === undefined ? {} : decodeLine(word);
}
