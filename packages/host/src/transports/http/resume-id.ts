// What a client sends back to resume: the event it heard last and, of the entries of one terminal, the sequence too.
import { channelOf, type TerminalId, TerminalId as TerminalIdSchema } from "@nacre/contracts";

/** Where a listener was. */
export interface ResumePoint {
  /** The event heard last, as the bus knows it. */
  readonly eventId?: string | undefined;
  /** The entry heard last, as the recording knows it. */
  readonly sequence?: number | undefined;
}

/** The event that tells of one more entry. */
export const ENTRY_APPENDED = "recordingEntry.appended";

const RESUME_ID = /^([^@]*)(?:@(0|[1-9][0-9]{0,14}))?$/;

/** Writes a place down; an event that is no entry has no sequence. */
export const formatResumeId = (eventId: string, sequence?: number): string =>
  sequence === undefined ? eventId : `${eventId}@${sequence}`;

/** Reads what a client sent back; `@<sequence>` alone asks for what follows that entry of a recording. */
export function parseResumeId(text: string): ResumePoint {
  const [, eventId, sequence] = RESUME_ID.exec(text) ?? [undefined, text];
  return {
    ...(eventId ? { eventId } : {}),
    ...(sequence === undefined ? {} : { sequence: Number(sequence) }),
  };
}

/** The one terminal of whose entries, and nothing else, these channels tell; its recording can stand in for lost events. */
export function findSoleRecording(channels: readonly string[]): TerminalId | undefined {
  const [first] = channels;
  if (first === undefined || channels.some((channel) => channel !== first)) return undefined;
  const id = TerminalIdSchema.safeParse(first.slice(0, -ENTRY_APPENDED.length - 1));
  return id.success && first === channelOf(id.data, ENTRY_APPENDED) ? id.data : undefined;
}
