import {
  type EntityEventsMessage,
  NacreError,
  TerminalId,
  type TerminalRecordingEntry,
  type TerminalRecordingEntryCollection,
} from "@nacre/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EntryEvents, parseResumeId, type ResumableMessage } from "./entry-events.ts";

const terminalId = TerminalId.parse("terminal:a1");

/** As much of an entry as is looked at. */
const entry = (sequence: number): TerminalRecordingEntry =>
  ({ sequence, type: "output", occurredAt: "2026-01-01T00:00:00.000Z" }) as TerminalRecordingEntry;

const published = (sequence: number): EntityEventsMessage => ({
  type: "event",
  event: {
    eventId: `run-${sequence * 7}`,
    entityId: terminalId,
    channel: `${terminalId}.recordingEntry.appended`,
    eventName: "recordingEntry.appended",
    kind: "terminal.recordingEntry.appended",
    occurredAt: "2026-01-01T00:00:00.000Z",
    payload: entry(sequence),
  },
});

const resync: EntityEventsMessage = { type: "resync", reason: "lost" };

async function* spoken(messages: readonly EntityEventsMessage[]) {
  yield* messages;
}

/** A recording that keeps some entries, read so many at a time. */
const recordingOf =
  (first: number, last: () => number, pageLength = 3) =>
  async (after: number): Promise<TerminalRecordingEntryCollection> => {
    const begin = Math.max(after + 1, first);
    const end = Math.min(begin + pageLength - 1, last());
    const entries = Array.from({ length: Math.max(0, end - begin + 1) }, (_, index) =>
      entry(begin + index),
    );
    return end < last()
      ? { entries, truncated: true, nextAfter: end }
      : { entries, truncated: false };
  };

const placeOf = ({ message, id }: ResumableMessage): string =>
  message.type === "resync" ? "resync" : `${parseResumeId(id ?? "").sequence}`;

async function heard(events: EntryEvents): Promise<string[]> {
  const places: string[] = [];
  for await (const message of events) places.push(placeOf(message));
  return places;
}

describe("entries of one terminal", () => {
  const find = recordingOf(1, () => 9);

  test("come as they are published, with their sequence in the id", async () => {
    const live = spoken([published(4), published(5)]);
    const events = new EntryEvents({ terminalId, live, beginsWithRecording: false, find });
    const ids: unknown[] = [];
    for await (const { id } of events) ids.push(id);
    expect(ids).toEqual(["run-28@4", "run-35@5"]);
  });

  test("come from the recording where events were lost, each once", async () => {
    const live = spoken([resync, published(8), published(9), published(10)]);
    const events = new EntryEvents({
      terminalId,
      live,
      after: 5,
      beginsWithRecording: false,
      find,
    });
    expect(await heard(events)).toEqual(["6", "7", "8", "9", "10"]);
  });

  test("come from the recording first when that is asked for", async () => {
    const live = spoken([published(9), published(10)]);
    const events = new EntryEvents({ terminalId, live, after: 7, beginsWithRecording: true, find });
    expect(await heard(events)).toEqual(["8", "9", "10"]);
  });

  test("come from the recording where the events themselves have a hole", async () => {
    const live = spoken([published(2), published(6)]);
    const events = new EntryEvents({ terminalId, live, beginsWithRecording: false, find });
    expect(await heard(events)).toEqual(["2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  test("begin with a resync where nobody knows what was heard", async () => {
    const live = spoken([resync, published(3)]);
    const events = new EntryEvents({ terminalId, live, beginsWithRecording: false, find });
    expect(await heard(events)).toEqual(["resync", "3"]);
  });

  test("have a resync where the recording does not keep them any more", async () => {
    const late = recordingOf(5, () => 6);
    const live = spoken([resync]);
    const options = { terminalId, live, after: 2, beginsWithRecording: false, find: late };
    expect(await heard(new EntryEvents(options))).toEqual(["resync", "5", "6"]);
  });

  test("have a resync where the recording is gone, and fail with what else fails", async () => {
    const failing = (code: "recording_not_found" | "unavailable") =>
      new EntryEvents({
        terminalId,
        live: spoken([]),
        after: 2,
        beginsWithRecording: true,
        find: () => Promise.reject(new NacreError(code, code)),
      });
    expect(await heard(failing("recording_not_found"))).toEqual(["resync"]);
    await expect(heard(failing("unavailable"))).rejects.toThrow("unavailable");
  });

  test("look like published ones when they come from the recording", async () => {
    const live = spoken([]);
    const options = { terminalId, live, after: 8, beginsWithRecording: true, find };
    for await (const { message } of new EntryEvents(options)) {
      const { event } = message as EntityEventsMessage & { type: "event" };
      expect(event).toEqual({
        ...(published(9) as EntityEventsMessage & { type: "event" }).event,
        eventId: "recorded-9",
      });
    }
    expect.assertions(1);
  });
});

test("whatever is lost on the way, nothing is missing and nothing comes twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 20 }),
      fc.array(fc.constantFrom("tell", "lose", "resync"), { maxLength: 40 }),
      async (after, steps) => {
        let newest = after;
        async function* live() {
          for (const step of steps) {
            if (step === "resync") yield resync;
            else newest += 1;
            if (step === "tell") yield published(newest);
          }
          // What was lost last is noticed with the next message.
          yield resync;
        }
        const find = recordingOf(1, () => newest);
        const events = new EntryEvents({
          terminalId,
          live: live(),
          after,
          beginsWithRecording: false,
          find,
        });
        const told = await heard(events);
        const all = Array.from({ length: newest - after }, (_, index) => `${after + 1 + index}`);
        expect(told).toEqual(all);
      },
    ),
  );
});
