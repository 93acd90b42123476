/** What a backslash and a letter mean between `$'` and `'`. */
const NAMED: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

const ANSI_ESCAPE =
  /\\(?:([abefnrtvE\\'"?])|x([\dA-Fa-f]{1,2})|u([\dA-Fa-f]{1,4})|([0-7]{1,3})|([^]))/g;

/** One part of a word: in single quotes, in `$'…'`, in double quotes, behind a backslash, or plain. */
const PART =
  /'([^']*)'|\$'((?:[^'\\]|\\[^])*)'|"((?:[^"\\$`]|\\[^])*)"|\\([^])|([^ \t\r\n'"\\$`;&|<>()]+)/y;

/** The word that a shell reads from what `printf %q` wrote, one character per byte; undefined when it is not one word. */
export function parseShellWord(quoted: string): string | undefined {
  let word = "";
  PART.lastIndex = 0;
  while (PART.lastIndex < quoted.length) {
    const part = PART.exec(quoted);
    if (!part) return undefined;
    const [, single, ansi, double, escaped, plain] = part;
    if (ansi !== undefined) word += ansi.replace(ANSI_ESCAPE, ansiCharacter);
    else if (double !== undefined) word += double.replace(/\\([$`"\\])/g, "$1");
    else word += single ?? escaped ?? plain ?? "";
  }
  return word;
}

/** Called with the match and its groups: a letter, hexadecimal, Unicode, octal, anything else. */
function ansiCharacter(match: string, ...groups: (string | undefined)[]): string {
  const [letter, hex, unicode, octal] = groups;
  if (letter !== undefined) return NAMED[letter] ?? match;
  if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
  if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 0xff);
  if (unicode === undefined) return match;
  return Buffer.from(String.fromCharCode(parseInt(unicode, 16))).toString("latin1");
}
