/** What a credential looks like, wherever it turns up: tokens of every kind, and what follows the names they travel under. */
const SECRET =
  /\b(?:nacre_|term-|nacre\.bearer\.)[A-Za-z0-9_-]{16,}|(?<=\b(?:token|tkn|ticket|apiKey|wsToken)"?\s{0,3}[=:]\s{0,3}"?)[^\s"&#]{6,}|(?<=\bBearer\s{1,3})[^\s"]{6,}/gi;

/** A text with every credential in it taken out, so that it can be logged. */
export function scrubText(text: string): string {
  return text.replaceAll(SECRET, "[hidden]");
}
