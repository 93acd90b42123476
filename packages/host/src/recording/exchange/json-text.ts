// JSON leaves these as they are; a terminal that is shown the file would obey the first, some readers break lines at the others.
const RISKY_CHARACTERS = /[\u007f-\u009f\u2028\u2029]/g;

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Writes a value as JSON in one line, with every control character escaped. */
export const toJsonText = (value: object | string): string =>
  JSON.stringify(value).replace(RISKY_CHARACTERS, escapeCharacter);
