import { NacreError } from "@nacre/contracts/error";

/** More does not fit into one message to a terminal. */
const MAX_BYTES = 1024 * 1024;

/** Everything on standard input, as text. */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk as Uint8Array);
    chunks.push(part);
    bytes += part.length;
    if (bytes > MAX_BYTES) {
      throw new NacreError("payload_too_large", `standard input has more than ${MAX_BYTES} bytes`);
    }
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The text that words stand for: joined by blanks, and what is on standard input for a single `-`. */
export async function readText(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === "-" ? await readStandardInput() : words.join(" ");
}
