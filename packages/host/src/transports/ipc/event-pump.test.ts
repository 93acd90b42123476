import { Writable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LineWriter } from "./ipc-message.ts";
import { EventPump } from "./event-pump.ts";
import { SlowEvents, turn } from "./testing/slow-events.ts";

const [A, B] = ["t:a.x", "t:b.x"];

/** A pump whose reader takes one line at a time, each after some turns. */
function openPump(turnsPerLine: number) {
  const events = new SlowEvents();
  const told: string[] = [];
  const faults: unknown[] = [];
  const socket = new Writable({
    highWaterMark: 1,
    write: (line: Buffer, _encoding, done) => {
      told.push((JSON.parse(line.toString()) as { event: { eventId: string } }).event.eventId);
      void (async () => {
        for (let step = 0; step < turnsPerLine; step++) await turn();
        done();
      })();
    },
  });
  const writer = new LineWriter(socket);
  const handleFault = (error: unknown): void => void faults.push(error);
  return { events, told, faults, pump: new EventPump({ open: events.open, writer, handleFault }) };
}

const step = fc.oneof(
  fc.constantFrom("a" as const, "b" as const, "turn" as const),
  fc.record({ before: fc.nat({ max: 3 }), after: fc.nat({ max: 3 }) }),
);

test("whenever channels change, no event is lost or told twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat({ max: 2 }), async (steps, pace) => {
      const { events, told, faults, pump } = openPump(pace);
      const [all, must]: [string[], string[]] = [[], []];
      await pump.setChannels([A]);
      let hearsB = false;
      let changing: Promise<void> | undefined;
      const settle = async (): Promise<void> => {
        await changing;
        changing = undefined;
      };
      for (const one of steps) {
        if (one === "turn") await turn();
        else if (one === "a") all.push(events.publish(A));
        else if (one === "b") {
          const id = events.publish(B);
          // While the channels change, it may be told or not.
          if (changing === undefined && hearsB) must.push(id);
        } else {
          await settle();
          hearsB = !hearsB;
          events.delays = [one.before, one.after];
          changing = pump.setChannels(hearsB ? [A, B] : [A]);
        }
      }
      await settle();
      const last = events.publish(A);
      all.push(last);
      while (!told.includes(last)) await turn();
      expect(told.filter((id) => all.includes(id))).toEqual(all);
      expect(must.filter((id) => !told.includes(id))).toEqual([]);
      expect(new Set(told).size).toBe(told.length);
      expect(faults).toEqual([]);
      expect(events.openFeeds).toBe(1);
      pump[Symbol.dispose]();
      expect(events.openFeeds).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test("nothing is told of a channel that was taken away", async () => {
  const { events, told, pump } = openPump(2);
  await pump.setChannels([A, B]);
  const wanted = [events.publish(A), events.publish(B), events.publish(A)];
  await pump.setChannels([A]);
  const heard = [...told];
  events.publish(B);
  const last = events.publish(A);
  while (!told.includes(last)) await turn();
  expect(told.slice(heard.length)).toEqual([
    ...wanted.filter((id) => !heard.includes(id) && id !== wanted[1]),
    last,
  ]);
});

test("a change that fails changes nothing, and what came meanwhile is told", async () => {
  const { events, told, pump } = openPump(0);
  await pump.setChannels([A]);
  const ids = [events.publish(A)];
  await turn();
  events.isBroken = true;
  events.delays = [2, 0];
  const failing = pump.setChannels([A, B]);
  ids.push(events.publish(A));
  await expect(failing).rejects.toThrow("no feed");
  expect(pump.channels).toEqual([A]);
  ids.push(events.publish(A));
  while (told.length < ids.length) await turn();
  expect(told).toEqual(ids);
});

test("a pump that is gone while it opens a feed leaves none behind", async () => {
  const { events, pump } = openPump(0);
  events.delays = [1, 1];
  const hearing = pump.setChannels([A]);
  pump[Symbol.dispose]();
  await hearing;
  expect(events.openFeeds).toBe(0);
});
