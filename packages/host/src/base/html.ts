const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Controls, lone surrogates, line separators, noncharacters and bidirectional controls. */
const UNSAFE_CHARACTERS =
  /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** For one line of program output, which may contain anything. */
export const escapeOutput = (text: string): string =>
  escapeHtml(text.replace(UNSAFE_CHARACTERS, "\ufffd"));
