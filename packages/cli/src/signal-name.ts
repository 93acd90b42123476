/** The whole name of a signal, which people write without its beginning and in small letters. */
export function signalName(word: string): string {
  const name = word.toUpperCase();
  return name.startsWith("SIG") ? name : `SIG${name}`;
}
