import { type EntityEventsMessage, NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { followEvents } from "./events.ts";
import { type ConnectionState, MAX_SILENCE_MS } from "./follow.ts";
import {
  encodeEvent,
  type ScriptedConnection,
  type ScriptedEvent,
  ScriptedHost,
} from "./testing/scripted-host.ts";
import { StepClock } from "./testing/step-clock.ts";

const COUNT = 5;
/** Waits before coming back are skipped; the watch for silence is not. */
const skipping = (): StepClock => new StepClock(10_000);

const connected: ScriptedEvent = { name: "connected", data: {} };

function eventOf(place: number): ScriptedEvent {
  const event = {
    eventId: `run-${place}`,
    entityId: "terminal:a1",
    channel: "terminal:a1.data.changed",
    eventName: "data.changed",
    kind: "terminal.data.changed",
    occurredAt: "2026-01-01T00:00:00.000Z",
    payload: { place },
  };
  return { name: "event", id: `run-${place}@${place}`, data: { type: "event", event } };
}

const resync: ScriptedEvent = { name: "resync", data: { type: "resync", reason: "too long ago" } };

const ALL = Array.from({ length: COUNT }, (_, index) => eventOf(index + 1));

/** Goes on after the event that the client heard last. */
const resumingHost = (plan: readonly ScriptedConnection[]): ScriptedHost =>
  new ScriptedHost(({ headers }) => {
    const place = Number(headers?.["last-event-id"]?.split("@")[1] ?? 0);
    return [connected, ...ALL.slice(place)];
  }, plan);

/** Messages until the last event was heard. */
async function heard(host: ScriptedHost, clock = skipping()): Promise<EntityEventsMessage[]> {
  const messages: EntityEventsMessage[] = [];
  await using events = followEvents({ wire: host.wire, clock }, { channels: ["terminal:*.*"] });
  for await (const message of events) {
    messages.push(message);
    if (message.type === "event" && message.event.eventId === `run-${COUNT}`) break;
  }
  return messages;
}

const placesOf = (messages: readonly EntityEventsMessage[]): readonly string[] =>
  messages.map((message) => (message.type === "event" ? message.event.eventId : message.type));

const EVERY_PLACE = ALL.map((_, index) => `run-${index + 1}`);

test("events come in order, from the channels asked for", async () => {
  const host = resumingHost([]);
  expect(placesOf(await heard(host))).toEqual(EVERY_PLACE);
  expect(host.requests.map(({ path }) => path)).toEqual(["/api/events?channel=terminal%3A*.*"]);
});

test("a connection that breaks at any byte loses nothing and repeats nothing", async () => {
  const whole = [connected, ...ALL].map(encodeEvent).join("").length;
  const first = encodeEvent(connected).length + encodeEvent(eventOf(1)).length;
  for (let cut = first; cut < whole; cut++) {
    const messages = await heard(resumingHost([{ breaksAfterBytes: cut }]));
    expect(placesOf(messages)).toEqual(EVERY_PLACE);
  }
});

test("a connection that breaks or ends after each event is made again each time", async () => {
  const step = encodeEvent(connected).length + encodeEvent(eventOf(1)).length;
  for (const ends of [false, true]) {
    const plan = ALL.map(() => ({ breaksAfterBytes: step, ends }));
    const host = resumingHost(plan);
    const clock = skipping();
    expect(placesOf(await heard(host, clock))).toEqual(EVERY_PLACE);
    expect(host.requests.map(({ headers }) => headers?.["last-event-id"])).toEqual([
      undefined,
      "run-1@1",
      "run-2@2",
      "run-3@3",
      "run-4@4",
    ]);
    // Each of them brought something, so that each wait is a first one.
    expect(clock.skipped).toEqual([188, 188, 188, 188]);
  }
});

test("a connection that is lost before the first event is a reason to read anew", async () => {
  const host = resumingHost([{ breaksAfterBytes: encodeEvent(connected).length }]);
  expect(placesOf(await heard(host))).toEqual(["resync", ...EVERY_PLACE]);
});

test("who begins after an event that it knows needs no such reason", async () => {
  const host = resumingHost([{ breaksAfterBytes: encodeEvent(connected).length }]);
  const over = { wire: host.wire, clock: skipping() };
  await using events = followEvents(over, { channels: ["*"], after: "run-3@3" });
  const { value } = await events.next();
  expect(value).toMatchObject({ event: { eventId: "run-4" } });
});

test("what the host cannot tell again is told as a resync", async () => {
  let isFirst = true;
  const cut = encodeEvent(connected).length + encodeEvent(eventOf(1)).length;
  const host = new ScriptedHost(() => {
    const events = isFirst ? ALL : [resync, ...ALL.slice(3)];
    isFirst = false;
    return [connected, ...events];
  }, [{ breaksAfterBytes: cut }]);
  expect(placesOf(await heard(host))).toEqual(["run-1", "resync", "run-4", "run-5"]);
});

test("a host that is away is asked again, each time later, until it is back", async () => {
  let asked = 0;
  const host = new ScriptedHost(() => {
    asked += 1;
    if (asked > 1 && asked < 5) return new Response(null, { status: 503 });
    return [connected, ...ALL.slice(asked === 1 ? 0 : 1)];
  }, [{ breaksAfterBytes: encodeEvent(connected).length + encodeEvent(eventOf(1)).length }]);
  const clock = skipping();
  expect(placesOf(await heard(host, clock))).toEqual(EVERY_PLACE);
  expect(clock.skipped).toEqual([188, 375, 750, 1500]);
});

test("a host that lets in and fails each time is asked each time later", async () => {
  const failure = { error: { code: "internal", message: "broken", suggestion: "wait" } };
  let asked = 0;
  const host = new ScriptedHost(() => {
    asked += 1;
    return asked < 5 ? [connected, { name: "error", data: failure }] : [connected, ...ALL];
  });
  const clock = skipping();
  await heard(host, clock);
  expect(clock.skipped).toEqual([188, 375, 750, 1500]);
});

test("a host that refuses is not asked again", async () => {
  const told = { error: { code: "forbidden", message: "no", suggestion: "ask" } };
  const host = new ScriptedHost(() => Response.json(told, { status: 403 }));
  await expect(heard(host)).rejects.toMatchObject({ code: "forbidden", message: "no" });
  expect(host.requests).toHaveLength(1);
});

test("a host that is not there at first is not waited for", async () => {
  const wire = (): Promise<Response> =>
    Promise.reject(new NacreError("unavailable", "no host answers"));
  const events = followEvents({ wire, clock: skipping() }, { channels: ["*"] });
  await expect(events.next()).rejects.toMatchObject({ code: "unavailable" });
});

test("what is no event stream is refused", async () => {
  const host = new ScriptedHost(() => Response.json({}));
  await expect(heard(host)).rejects.toMatchObject({ code: "unexpected_answer" });
});

test("a pattern that is none is refused before anything is sent", () => {
  const host = resumingHost([]);
  const over = { wire: host.wire, clock: skipping() };
  expect(() => followEvents(over, { channels: ["terminal:**"] })).toThrow(/channel/);
  expect(host.requests).toEqual([]);
});

test("a host that falls silent is left and asked again", async () => {
  const host = resumingHost([{}]);
  const clock = skipping();
  const states: ConnectionState[] = [];
  const handleConnection = (state: ConnectionState): void => void states.push(state);
  const options = { channels: ["*"], handleConnection };
  await using events = followEvents({ wire: host.wire, clock }, options);
  for (const place of EVERY_PLACE) {
    expect((await events.next()).value).toMatchObject({ event: { eventId: place } });
  }
  const next = events.next();
  await expect.poll(() => clock.waiting).toEqual([MAX_SILENCE_MS]);
  clock.step();
  await expect.poll(() => states).toEqual(["connected", "lost", "connected"]);
  await events.return?.();
  expect(await next).toEqual({ done: true, value: undefined });
});

test("leaving while nothing comes ends the request", async () => {
  const host = new ScriptedHost(() => [connected]);
  const events = followEvents({ wire: host.wire, clock: skipping() }, { channels: ["*"] });
  const next = events.next();
  await expect.poll(() => host.requests).toHaveLength(1);
  await events.return?.();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(host.requests[0]?.signal?.aborted).toBe(true);
});
