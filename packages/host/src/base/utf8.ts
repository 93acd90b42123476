/** Longest incomplete code point. */
export const MAX_INCOMPLETE_BYTES = 3;

/** 0 for an invalid lead byte. */
function lengthByLead(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Overlong forms, surrogates and values beyond Unicode show in the second byte. */
function canFollow(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0 && second <= 0xbf;
  if (lead === 0xed) return second >= 0x80 && second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90 && second <= 0xbf;
  if (lead === 0xf4) return second >= 0x80 && second <= 0x8f;
  return second >= 0x80 && second <= 0xbf;
}

/** 0 when invalid, -1 when `end` cuts it off. */
export function codePointLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at] ?? 0;
  const length = lengthByLead(lead);
  for (let index = 1; index < length; index++) {
    if (at + index >= end) return -1;
    const byte = bytes[at + index] ?? 0;
    if (index === 1 ? !canFollow(lead, byte) : byte < 0x80 || byte > 0xbf) return 0;
  }
  return length;
}

/** Bytes of an incomplete code point before `end`; invalid bytes never count. */
export function incompleteBytes(bytes: Uint8Array, end: number): number {
  const first = Math.max(0, end - MAX_INCOMPLETE_BYTES);
  for (let at = end - 1; at >= first; at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return codePointLength(bytes, at, end) === -1 ? end - at : 0;
  }
  return 0;
}
