import type { OutputView, TerminalFeedMessage } from "@nacre/contracts";
import { toPublicEntry } from "../recording/entry-row.ts";
import type { FeedMessage } from "./subscription.ts";

/** A message of a feed as other processes see it: its data as text, in the view asked for. */
export function toPublicMessage(
  message: FeedMessage,
  shown: OutputView = "stripped",
): TerminalFeedMessage {
  if (message.kind === "snapshot") return message;
  const { entry, view } = message;
  const isStripped = shown === "stripped" && entry.type === "output" && view !== undefined;
  return { kind: "entry", entry: toPublicEntry(isStripped ? { ...entry, data: view } : entry) };
}
