/** No event of a cast holds more than the largest output Entry does, so that both directions keep events as they are. */
export const MAX_EVENT_BYTES = 64 * 1024;

const eventEncoder = new TextEncoder();

/** Cuts text between characters into parts of at most `MAX_EVENT_BYTES` of UTF-8, each as long as possible. */
export function* cutText(text: string): Generator<string> {
  let rest = text;
  if (Buffer.byteLength(rest) > MAX_EVENT_BYTES) {
    const room = new Uint8Array(MAX_EVENT_BYTES);
    for (let { read } = eventEncoder.encodeInto(rest, room); read < rest.length;) {
      yield rest.slice(0, read);
      rest = rest.slice(read);
      ({ read } = eventEncoder.encodeInto(rest, room));
    }
  }
  if (rest !== "") yield rest;
}

const isInsideCharacter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Cuts valid UTF-8 as `cutText` cuts text; parts do not keep the memory of the whole alive. */
export function cutBytes(bytes: Uint8Array<ArrayBuffer>): readonly Uint8Array<ArrayBuffer>[] {
  if (bytes.length <= MAX_EVENT_BYTES) return bytes.length === 0 ? [] : [bytes];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + MAX_EVENT_BYTES, bytes.length);
    while (isInsideCharacter(bytes[end])) end -= 1;
    parts.push(bytes.slice(start, end));
    start = end;
  }
  return parts;
}
