import { type InputNeeded, MAX_INPUT_REQUESTS } from "@nacre/contracts";
import { expect, test } from "vitest";
import { caller } from "../claim/testing/callers.ts";
import { InputRequests } from "./input-requests.ts";
import type { TypeOptions } from "./type-options.ts";

const AGENT = caller("bot", "agent", { client: "mcp-1" });
const PERSON = caller("anna", "operator", { client: "page-1" });

/** Requests with everything they do; a clock that is moved by hand. */
class Setting {
  readonly typed: [string, TypeOptions][] = [];
  readonly opened: string[] = [];
  needed: InputNeeded | undefined;
  changes = 0;
  failure: Error | undefined;
  readonly #alarms = new Set<() => void>();
  readonly requests = new InputRequests({
    needed: () => this.needed,
    open: async (prompt) => void this.opened.push(prompt),
    type: async (text, options) => {
      if (this.failure) throw this.failure;
      this.typed.push([text, options]);
    },
    handleChange: () => void this.changes++,
    timers: {
      now: () => 0,
      after: (_delay, run) => {
        this.#alarms.add(run);
        return () => void this.#alarms.delete(run);
      },
    },
  });

  get alarms(): number {
    return this.#alarms.size;
  }

  ask(more: { readonly secret?: boolean; readonly signal?: AbortSignal } = {}) {
    return this.requests.ask({ by: AGENT, prompt: "the password", deadlineMs: 1000, ...more });
  }

  expire(): void {
    for (const run of this.#alarms) run();
  }

  asks(kind: InputNeeded["kind"], since: string): void {
    this.needed = { kind, since };
    this.requests.look();
  }
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

test("an answer is typed with Enter behind it, in the name of who gives it, and ends the request", async () => {
  const setting = new Setting();
  const { request, answered } = await setting.ask();
  expect(setting.opened).toEqual(["the password"]);
  expect(setting.requests.pending).toEqual([request]);
  const { requestId } = request;
  expect(await setting.requests.answer({ requestId, by: PERSON, text: "yes" })).toEqual({
    outcome: "answered",
    request,
  });
  expect(setting.typed).toMatchObject([["yes\r", { by: PERSON, askedBy: AGENT }]]);
  expect(setting.typed[0]?.[1].sensitive).toBeUndefined();
  expect(await answered).toEqual({ outcome: "answered", by: "anna" });
  expect(setting.requests.pending).toEqual([]);
  expect([setting.changes, setting.alarms]).toEqual([2, 0]);
});

test("a secret is typed as one, whether that was said or the program asks for one", async () => {
  const setting = new Setting();
  const said = await setting.ask({ secret: true });
  setting.asks("secret", "10:00");
  const found = await setting.ask();
  for (const { request } of [said, found]) {
    expect(request.secret).toBe(true);
    const { requestId } = request;
    await setting.requests.answer({ requestId, by: PERSON, text: "hunter2", submit: false });
  }
  const hidden = { sensitive: true, hidden: true };
  expect(setting.typed).toMatchObject([
    ["hunter2", hidden],
    ["hunter2", hidden],
  ]);
});

test("who does not want to answer declines, and can say why", async () => {
  const setting = new Setting();
  const { request, answered } = await setting.ask();
  const { requestId } = request;
  await setting.requests.answer({ requestId, by: PERSON, note: "not today" });
  expect(await answered).toEqual({ outcome: "declined", by: "anna", note: "not today" });
  expect(setting.typed).toEqual([]);
  await expect(
    setting.requests.answer({ requestId, by: PERSON, text: "yes" }),
  ).rejects.toMatchObject({ code: "conflict", field: "requestId" });
});

test("of two who answer at the same time one is refused", async () => {
  const setting = new Setting();
  const { requestId } = (await setting.ask()).request;
  const both = await Promise.allSettled([
    setting.requests.answer({ requestId, by: PERSON, text: "one" }),
    setting.requests.answer({ requestId, by: PERSON, text: "two" }),
  ]);
  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(setting.typed).toHaveLength(1);
});

test("what could not be typed leaves the question open, unless it lapsed meanwhile", async () => {
  const setting = new Setting();
  const { request, answered } = await setting.ask();
  const { requestId } = request;
  setting.failure = new Error("the terminal shows what is typed");
  const answering = setting.requests.answer({ requestId, by: PERSON, text: "one" });
  await expect(answering).rejects.toThrow("shows what is typed");
  expect(setting.requests.pending).toEqual([request]);
  const late = setting.requests.answer({ requestId, by: PERSON, text: "one" });
  setting.expire();
  await expect(late).rejects.toThrow("shows what is typed");
  expect(await answered).toEqual({ outcome: "expired" });
});

test("a question lapses, is withdrawn with who asked, or ends with the terminal", async () => {
  const setting = new Setting();
  const lapsing = await setting.ask();
  setting.expire();
  expect(await lapsing.answered).toEqual({ outcome: "expired" });
  const leaving = new AbortController();
  const withdrawn = await setting.ask({ signal: leaving.signal });
  leaving.abort();
  expect(await withdrawn.answered).toEqual({ outcome: "withdrawn" });
  expect(await (await setting.ask({ signal: leaving.signal })).answered).toEqual({
    outcome: "withdrawn",
  });
  const last = await setting.ask();
  setting.requests.look(true);
  expect(await last.answered).toEqual({ outcome: "closed" });
  expect([setting.requests.pending, setting.alarms]).toEqual([[], 0]);
});

test("who types into the terminal itself has answered when the program asks no more, or asks something else", async () => {
  const setting = new Setting();
  const first = await setting.ask();
  setting.asks("secret", "10:00");
  setting.requests.noteTyped(bytes("hun"), PERSON);
  expect(setting.requests.pending).toHaveLength(1);
  setting.needed = undefined;
  setting.requests.noteTyped(bytes("ter2\r"), PERSON);
  expect(await first.answered).toEqual({ outcome: "answered", by: "anna" });
  setting.asks("line", "10:01");
  const second = await setting.ask();
  setting.requests.noteTyped(bytes("x\r"), PERSON);
  setting.asks("line", "10:02");
  expect(await second.answered).toMatchObject({ outcome: "answered" });
});

test("where nobody can tell whether the program asks, Enter is the end of an answer", async () => {
  const setting = new Setting();
  const { answered } = await setting.ask();
  setting.requests.noteTyped(bytes("ye"), PERSON);
  expect(setting.requests.pending).toHaveLength(1);
  setting.requests.noteTyped(bytes("s\r"), PERSON);
  expect(await answered).toMatchObject({ outcome: "answered" });
});

test("who asks does not answer by typing, and a program that asks anew was not answered", async () => {
  const setting = new Setting();
  setting.asks("secret", "10:00");
  await setting.ask();
  setting.requests.noteTyped(bytes("guess\r"), AGENT);
  setting.asks("secret", "10:01");
  expect(setting.requests.pending).toHaveLength(1);
});

test("nobody is asked more than can be answered", async () => {
  const setting = new Setting();
  for (let count = 0; count < MAX_INPUT_REQUESTS; count++) await setting.ask();
  await expect(setting.ask()).rejects.toMatchObject({ code: "limit_reached" });
  expect(setting.opened).toHaveLength(MAX_INPUT_REQUESTS);
});
