import {
  type LostReason,
  NacreError,
  type Screen,
  type TerminalData,
  type TerminalId,
} from "@nacre/contracts";
import type { Attachment } from "../../operations/attachment.ts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/operations.ts";
import type { SocketMessage } from "../../socket/client-socket.ts";

/** What the sockets need of the operations. */
export type RawOperations = Pick<Operations, "attach" | "call" | "clientBack" | "clientGone">;

/** One message of a feed. */
export type AttachmentMessage = NonNullable<Awaited<ReturnType<Attachment["next"]>>["value"]>;

/** One entry of a feed; its data are bytes. */
export type AttachmentEntry = Extract<AttachmentMessage, { readonly kind: "entry" }>["entry"];

/** Where a viewer starts: after a sequence that it has, at the newest one, or with a snapshot. */
export type StartPosition =
  | { readonly kind: "snapshot" }
  | { readonly kind: "after"; readonly sequence: number }
  | { readonly kind: "tail" };

export interface AttachOptions {
  readonly operations: RawOperations;
  readonly id: TerminalId;
  readonly context: CallContext;
}

/** One terminal as one socket uses it: its feed can be left and begun anew. */
export class AttachedTerminal implements Disposable {
  /** The sequence that it goes on after; nothing where it begins with a snapshot. */
  readonly after: number | undefined;
  readonly #options: AttachOptions;
  #attachment: Attachment;
  #isDisposed = false;

  private constructor(options: AttachOptions, attachment: Attachment, after: number | undefined) {
    this.#options = options;
    this.#attachment = attachment;
    this.after = after;
  }

  /** Attaches, or throws `terminal_not_found`. */
  static async open(options: AttachOptions, start: StartPosition): Promise<AttachedTerminal> {
    const after = await resolveStart(options, start);
    return new AttachedTerminal(options, await attach(options, after), after);
  }

  /** The way in: to type, and to ask for a size. */
  get attachment(): Pick<Attachment, "write" | "resize"> {
    return this.#attachment;
  }

  /** The next message; nothing when no other can come. */
  async next(): Promise<AttachmentMessage | undefined> {
    const result = await this.#attachment.next();
    return result.done === true ? undefined : result.value;
  }

  /** Says that the bytes of entries up to this one are on nobody's way any more. */
  release(sequence: number): void {
    this.#attachment.release(sequence);
  }

  /** Leaves out what was not fetched yet: the next message is a snapshot of the present. */
  async skip(): Promise<void> {
    const left = this.#attachment;
    // The old one is kept until there is a new one, so that a viewer that lags behind can still type.
    const attachment = await attach(this.#options, undefined);
    left[Symbol.dispose]();
    this.#attachment = attachment;
    if (this.#isDisposed) attachment[Symbol.dispose]();
  }

  /** How the program ended, where that was not told by the feed. */
  async readExit(): Promise<TerminalExit> {
    const { exitCode, signal, lostReason } = await readTerminal(this.#options);
    return { exitCode, signal, lostReason };
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#attachment[Symbol.dispose]();
  }
}

/** What everybody may know of a terminal. */
export function readTerminal({ operations, id, context }: AttachOptions): Promise<TerminalData> {
  return operations.call("readTerminal", { id }, context);
}

/** What a viewer missed is read from the recording while it keeps reading; how far that may go is the viewer's to say. */
const attach = (
  { operations, id, context }: AttachOptions,
  after: number | undefined,
): Promise<Attachment> =>
  operations.attach(id, { after, whenBehind: "replay", releases: true }, context);

/** The sequence to go on after, or nothing where a snapshot has to come first. */
async function resolveStart(
  options: AttachOptions,
  start: StartPosition,
): Promise<number | undefined> {
  if (start.kind === "snapshot") return undefined;
  const { lastSequence } = (await readTerminal(options)).recording;
  if (start.kind === "tail") return lastSequence;
  // Whoever has more than there is speaks of another recording.
  return start.sequence > lastSequence ? undefined : start.sequence;
}

/** Reads where to start from the query's `cursor`. */
export function parseStart(cursor: string | null): StartPosition {
  if (cursor === null) return { kind: "snapshot" };
  if (cursor === "-1") return { kind: "tail" };
  if (/^\d{1,15}$/.test(cursor)) return { kind: "after", sequence: Number(cursor) };
  throw new NacreError("invalid_argument", `cursor: ${cursor.slice(0, 32)} is not a sequence`, {
    field: "cursor",
  });
}

/** How a program ended, as far as it is known. */
export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  /** Why nobody saw it end. */
  readonly lostReason?: LostReason | undefined;
}

/** How one wire spells what a viewer is told. */
export interface FrameEncoder {
  /** Start from this: everything shown before is void. */
  snapshot(screen: Screen): readonly SocketMessage[];
  /** A burst of output, which ends with the entry of this sequence. */
  output(burst: readonly Uint8Array[], sequence: number): readonly SocketMessage[];
  /** Any other entry; what the wire has no word for is no frame. */
  entry(entry: AttachmentEntry): readonly SocketMessage[];
  /** The program ended and everything it wrote was told. */
  exit(ending: TerminalExit): readonly SocketMessage[];
}
