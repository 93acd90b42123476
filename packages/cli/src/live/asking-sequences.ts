// Which sequences make a terminal answer, or send reports by itself, as if its user had typed them.

/** Control sequences that are questions, by what follows `ESC [`. */
const ASKING_CONTROLS: readonly RegExp[] = [
  /** What the terminal is, which state it has, and where the cursor stands. */
  /^[^>]*n$|c$/,
  /** Modes, version, settings, checksums, tab stops, fonts and the rest of what can be asked for. */
  /\$[puw]$|^>[\d;]*q$|^\?[\d;]*[uSm]$|^[\d;]*x$|\*y$|["&+#'][uvwR|]$/,
  /** Everything about the window, but for keeping its title and bringing it back. */
  /^(?!2[23](?:;[\d;]*)?t$).*t$/,
];

/** Whether a terminal answers a sequence. */
export function isAsking(body: string): boolean {
  if (!body.startsWith("]")) return ASKING_CONTROLS.some((form) => form.test(shortOf(body)));
  // Titles, links, directories and messages may have question marks in them, and nobody answers those.
  if (/^\](?:[0127]|8|9|66|133|633|777);/.test(body)) return false;
  // Elsewhere a question mark stands where a value would.
  return body.includes("?") || /^\]1337;(?:Report|Request|Capabilities)/i.test(body);
}

/** Strings that are shown however long they are: pictures, and what is copied. */
export function lastingString(body: string): boolean {
  if (body.startsWith("]52;")) return !/^\]52;[^;]*;\?/.test(body);
  return /^\]1337;(?:File|MultipartFile|FilePart|FileEnd)\b/.test(body) || /^P[\d;]*q/.test(body);
}

/** Modes in which a terminal reports its size and its colours by itself; the host does not know them, so no program counts on them. */
const REPORTING_MODES: ReadonlySet<string> = new Set(["2031", "2048", "5522"]);

/** A sequence without those modes. */
export function withoutReporting(body: string): string {
  if (!/^\?[\d;]*[hl]$/.test(body)) return body;
  const modes = body.slice(1, -1).split(";");
  const left = modes.filter((mode) => !REPORTING_MODES.has(mode));
  return left.length === modes.length ? body : `?${left.join(";") || "0"}${body.at(-1) ?? ""}`;
}

/** Control characters inside of a sequence do not change what it means. */
// oxlint-disable-next-line no-control-regex
const shortOf = (body: string): string => body.replaceAll(/[\x00-\x1f]/g, "");
