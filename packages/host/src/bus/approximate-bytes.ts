/** What an object or an array costs beside what is in it. */
const NODE_BYTES = 32;
/** What a number, a boolean or nothing costs. */
const SCALAR_BYTES = 8;

/** About how much memory a plain JSON value takes; text counts one byte per character, which is right for most of it. */
export function approximateBytes(value: unknown): number {
  if (typeof value === "string") return value.length + SCALAR_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  let bytes = NODE_BYTES;
  for (const part of Object.values(value)) bytes += approximateBytes(part);
  return bytes;
}
