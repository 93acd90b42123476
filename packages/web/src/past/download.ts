import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";

/** The forms in which people take a recording away, in the words they know. */
export const DOWNLOADS = [
  { format: "asciicast3", label: "Asciicast", hint: ".cast" },
  { format: "text", label: "Text", hint: ".txt" },
  { format: "html", label: "HTML", hint: ".html" },
  { format: "jsonLines", label: "JSON lines", hint: ".jsonl" },
  { format: "raw", label: "Raw bytes", hint: ".raw" },
] as const;

/** Names a form. */
export type DownloadFormat = (typeof DOWNLOADS)[number]["format"];

/** The browser begins to save within this time. */
const SAVED_MS = 60_000;

/** Fetches a recording in a form and lets the browser save it. */
export async function download(
  client: NacreClient,
  id: TerminalId,
  format: DownloadFormat,
): Promise<void> {
  const { bytes, fileName } = await client.exportRecording({ id, format });
  // Never a type that a browser would show: what a program wrote must not become a page of ours.
  const headers = { "content-type": "application/octet-stream" };
  const blob = await new Response(bytes, { headers }).blob();
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), SAVED_MS);
}
