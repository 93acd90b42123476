// A terminal as its channel reads it: what can be said of it at once, its content, and every entry from a moment on.
import type { TerminalId } from "@nacre/contracts";
import type { Attachment } from "../../../operations/attachment.ts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { Operations } from "../../../operations/dispatch.ts";

/** What a channel needs of its terminal; its feed begins with the first `next()`. */
export type TerminalSource = Pick<
  Attachment,
  | "terminalId"
  | "facts"
  | "lastSequence"
  | "readContent"
  | "onChange"
  | "next"
  | typeof Symbol.dispose
>;

/** One message of a feed. */
export type SourceMessage = Exclude<
  Awaited<ReturnType<TerminalSource["next"]>>["value"],
  undefined
>;

/** One entry of a feed. */
export type SourceEntry = Extract<SourceMessage, { kind: "entry" }>["entry"];

/** How a terminal is opened. */
interface SourceOptions {
  readonly id: TerminalId;
  readonly context: CallContext;
  readonly after?: number | undefined;
  /** How many look at the terminal by its channel. */
  readonly countViewers: () => number;
}

/** Opens a terminal; its feed goes on after an entry, or begins with what comes after the turn of its first `next()`. */
export async function openSource(
  operations: Pick<Operations, "attach">,
  { id, context, after, countViewers }: SourceOptions,
): Promise<TerminalSource> {
  let attachment: TerminalSource | undefined = undefined;
  const start = {
    // Looked at when the feed begins: what is known of the terminal in that turn is what it goes on from.
    get after(): number | undefined {
      return after ?? attachment?.lastSequence;
    },
    whenBehind: "replay",
    isInternal: true,
    countViewers,
  } as const;
  attachment = await operations.attach(id, start, context);
  return attachment;
}
