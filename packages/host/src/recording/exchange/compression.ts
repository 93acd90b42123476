/** How many bytes at the beginning of a file tell its compression. */
export const LONGEST_MAGIC_BYTES = 4;

const MAGIC_BYTES: ReadonlyMap<string, readonly number[]> = new Map([
  ["gzip", [0x1f, 0x8b]],
  ["zip", [0x50, 0x4b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58]],
  ["bzip2", [0x42, 0x5a, 0x68]],
]);

/** The name of the compression that a file with this beginning has, or nothing. */
export function detectCompression(beginning: readonly number[]): string | undefined {
  for (const [name, magic] of MAGIC_BYTES) {
    if (magic.every((byte, at) => byte === beginning[at])) return name;
  }
  return undefined;
}
