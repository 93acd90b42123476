/** Control sequences: CSI, OSC and other strings up to their end, and short escapes. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- finding control sequences is the purpose
  /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]?)|\u009b[0-?]*[ -/]*[@-~]?/g;

/** Characters that nobody sees: controls beside line feed and tab, zero width, and those that turn the direction of text. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Output as text for a model: without control sequences and without characters that nobody sees. */
export function plainText(bytes: Uint8Array): string {
  return (
    new TextDecoder()
      .decode(bytes)
      .replace(SEQUENCES, "")
      .replace(/\r+\n/g, "\n")
      // What was written over stays readable, on a line of its own; where nothing was, nothing is written over.
      .replaceAll(/(?<=^|\n)\r+/g, "")
      .replaceAll(/\r+/g, "\n")
      .replace(UNSEEN, "")
  );
}
