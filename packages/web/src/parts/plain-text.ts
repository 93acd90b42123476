// oxlint-disable no-control-regex -- leaving them out is the purpose
const SEQUENCES =
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b]*\u001b\\|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** What somebody reads of an output: without colours and commands for a terminal, and lines as they were overwritten last. */
export function plainText(output: string): string {
  return output
    .replaceAll(SEQUENCES, "")
    .replaceAll(/\r+\n/g, "\n")
    .replaceAll(/[^\n]*\r/g, "")
    .replaceAll(CONTROLS, "");
}
