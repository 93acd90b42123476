import { type InputNeeded, type InputRequest, MAX_INPUT_REQUESTS } from "@nacre/contracts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { expect, test } from "vitest";
import { caller } from "../claim/testing/callers.ts";
import { type InputQuestion, InputRequests, type SavedQuestion } from "./input-requests.ts";
import type { TypeOptions } from "./input-writer.ts";

const AGENT = caller("bot", "agent", { client: "mcp-1" });
const OTHER = caller("other", "agent", { client: "mcp-2" });
const PERSON = caller("anna", "operator", { client: "page-1" });
const TYPE = { kind: "type" } as const;

/** Requests with everything they do; a clock that is moved by hand. */
class Setting {
  readonly typed: [string, TypeOptions][] = [];
  readonly opened: string[] = [];
  needed: InputNeeded | undefined;
  isAtPrompt = false;
  saved: readonly SavedQuestion[] = [];
  failure: Error | undefined;
  readonly clock = new ManualClock();
  readonly requests: InputRequests;

  constructor(saved?: readonly SavedQuestion[]) {
    this.requests = new InputRequests({
      needed: () => this.needed,
      isAtPrompt: () => this.isAtPrompt,
      answerReader: async () => (this.isAtPrompt ? "shell" : "program"),
      open: async (prompt) => void this.opened.push(prompt),
      type: async (text, options) => {
        if (this.failure) throw this.failure;
        this.typed.push([text, options]);
      },
      handleChange: () => undefined,
      save: (open) => void (this.saved = open),
      saved,
      clock: this.clock,
    });
  }

  ask(more: Partial<InputQuestion> = {}): Promise<InputRequest> {
    return this.requests.ask({ by: AGENT, prompt: "the password", ...more });
  }

  outcome({ requestId }: InputRequest, by = AGENT) {
    return this.requests.outcome(requestId, by);
  }

  answer({ requestId }: InputRequest, text?: string) {
    return this.requests.answer({ requestId, by: PERSON, ...(text === undefined ? {} : { text }) });
  }

  expire(): void {
    this.clock.advance(30 * 24 * 3_600_000);
  }

  asks(kind: InputNeeded["kind"], since: string): void {
    this.needed = { kind, since };
    this.requests.look();
  }
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

test("P-A1: an answer goes to who asked, with what was said, and is never typed", async () => {
  const setting = new Setting();
  setting.isAtPrompt = true;
  const request = await setting.ask({ prompt: "Shall I deploy?" });
  expect(request).toMatchObject({ kind: "answer", secret: false });
  expect(await setting.outcome(request)).toEqual({ outcome: "pending", request });
  const { requestId } = request;
  await setting.requests.answer({ requestId, by: PERSON, text: "yes", note: "carefully" });
  const told = { outcome: "answered", text: "yes", by: "anna", note: "carefully", request };
  expect(await setting.outcome(request)).toEqual(told);
  expect(await setting.outcome(request, PERSON)).toEqual(told);
  expect(await setting.outcome(request, OTHER)).not.toHaveProperty("text");
  expect(setting.typed).toEqual([]);
});

test("what became of a question is read by the beginning of its id, also when it has ended", async () => {
  const setting = new Setting();
  const [open, answered] = [await setting.ask(), await setting.ask()];
  await setting.answer(answered, "yes");
  const short = ({ requestId }: InputRequest): string => requestId.slice(0, 18);
  const read = (named: string) => setting.requests.outcome(named, AGENT);
  expect(await read(short(open))).toEqual({ outcome: "pending", request: open });
  expect(await read(short(answered))).toMatchObject({ outcome: "answered", request: answered });
  await expect(read("")).rejects.toMatchObject({
    code: "invalid_argument",
    details: { candidates: [open.requestId, answered.requestId] },
  });
  await expect(read("nobody asked")).rejects.toMatchObject({ code: "conflict" });
});

test("P-A1: of choices one is taken, and nothing else", async () => {
  const setting = new Setting();
  const choices = [{ value: "yes", label: "Deploy" }, { value: "no" }];
  const request = await setting.ask({ choices });
  expect(request).toMatchObject({ kind: "answer", choices });
  await expect(setting.answer(request, "maybe")).rejects.toMatchObject({
    code: "invalid_argument",
    field: "text",
  });
  await setting.answer(request, "no");
  expect(await setting.outcome(request)).toMatchObject({ outcome: "answered", text: "no" });
});

test("P-A1: nobody is asked to type at the prompt of a shell", async () => {
  const setting = new Setting();
  setting.isAtPrompt = true;
  for (const more of [TYPE, { secret: true }]) {
    await expect(setting.ask(more)).rejects.toMatchObject({ code: "conflict", field: "kind" });
  }
  expect([setting.opened, setting.requests.pending]).toEqual([[], []]);
});

test("P-A1: who asks before the program reads is told that nobody can answer yet", async () => {
  const setting = new Setting();
  const request = await setting.ask(TYPE);
  expect(await setting.outcome(request)).toEqual({
    outcome: "pending",
    request,
    nobodyReads: true,
  });
  setting.asks("continuation", "0");
  expect(await setting.outcome(request)).toMatchObject({ nobodyReads: true });
  setting.asks("line", "1");
  expect(await setting.outcome(request)).toEqual({ outcome: "pending", request });
  const answer = await setting.ask({ kind: "answer" });
  setting.needed = undefined;
  expect(await setting.outcome(answer)).toEqual({ outcome: "pending", request: answer });
});

test("without a kind only a secret is typed: what a program reads otherwise is not taken for what was asked", async () => {
  const setting = new Setting();
  setting.asks("line", "10:00");
  expect(await setting.ask()).toMatchObject({ kind: "answer", secret: false });
  setting.asks("secret", "10:01");
  expect(await setting.ask()).toMatchObject({ kind: "type", secret: true });
  expect(await setting.ask({ choices: [{ value: "x" }] })).toMatchObject({ kind: "answer" });
  expect(await setting.ask({ kind: "answer" })).toMatchObject({ kind: "answer", secret: false });
});

test("what is to be typed is typed with Enter behind it, in the name of who gives it, and told to nobody", async () => {
  const setting = new Setting();
  const request = await setting.ask(TYPE);
  expect(setting.opened).toEqual(["the password"]);
  expect(setting.requests.pending).toEqual([request]);
  expect(await setting.answer(request, "yes")).toEqual({ outcome: "answered", request });
  expect(setting.typed).toMatchObject([["yes\r", { by: PERSON, askedBy: AGENT }]]);
  expect(setting.typed[0]?.[1].sensitive).toBeUndefined();
  expect(await setting.outcome(request)).toEqual({ outcome: "answered", by: "anna", request });
  expect(setting.requests.pending).toEqual([]);
});

test("a secret is typed as one, whether that was said or the program asks for one", async () => {
  const setting = new Setting();
  const said = await setting.ask({ secret: true });
  setting.asks("secret", "10:00");
  for (const request of [said, await setting.ask()]) {
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
  const request = await setting.ask();
  const { requestId } = request;
  await setting.requests.answer({ requestId, by: PERSON, note: "not today" });
  expect(await setting.outcome(request)).toMatchObject({ outcome: "declined", note: "not today" });
  await expect(setting.answer(request, "yes")).rejects.toMatchObject({
    code: "conflict",
    field: "requestId",
  });
});

test("of two who answer at the same time one is refused", async () => {
  const setting = new Setting();
  const request = await setting.ask(TYPE);
  const both = await Promise.allSettled([
    setting.answer(request, "one"),
    setting.answer(request, "two"),
  ]);
  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(setting.typed).toHaveLength(1);
});

test("what could not be typed leaves the question open, unless it lapsed meanwhile", async () => {
  const setting = new Setting();
  const request = await setting.ask({ ...TYPE, expiresInMs: 1000 });
  setting.failure = new Error("the terminal shows what is typed");
  await expect(setting.answer(request, "one")).rejects.toThrow("shows what is typed");
  expect(setting.requests.pending).toEqual([request]);
  const late = setting.answer(request, "one");
  setting.expire();
  await expect(late).rejects.toThrow("shows what is typed");
  expect(await setting.outcome(request)).toMatchObject({ outcome: "expired" });
});

test("P-A2: a question stands for as long as who asked said, or for ever; what lapsed is shown until it is taken off", async () => {
  const setting = new Setting();
  const standing = await setting.ask();
  expect([standing.expiresAt, setting.clock.timersWaiting]).toEqual([undefined, 0]);
  const lapsing = await setting.ask({ expiresInMs: 1000 });
  setting.expire();
  expect(await setting.outcome(lapsing)).toMatchObject({ outcome: "expired" });
  expect(setting.requests.pending).toEqual([standing]);
  setting.requests.look(true);
  expect(await setting.outcome(standing)).toMatchObject({ outcome: "closed" });
  expect(setting.requests.lapsed).toMatchObject([
    { requestId: lapsing.requestId, reason: "expired" },
    { requestId: standing.requestId, reason: "closed" },
  ]);
  await setting.requests.withdraw(lapsing.requestId, PERSON);
  expect(setting.requests.lapsed).toHaveLength(1);
});

test("P-A2: who waits and leaves, or waits long enough, has asked all the same", async () => {
  const setting = new Setting();
  const { requestId } = await setting.ask();
  const leaving = new AbortController();
  const wait = { timeoutMs: 1000, signal: leaving.signal };
  const left = setting.requests.outcome(requestId, AGENT, wait);
  leaving.abort();
  expect(await left).toMatchObject({ outcome: "pending" });
  const patient = setting.requests.outcome(requestId, AGENT, { timeoutMs: 1000 });
  setting.expire();
  expect(await patient).toMatchObject({ outcome: "pending" });
  const lucky = setting.requests.outcome(requestId, AGENT, { timeoutMs: 1000 });
  await setting.requests.answer({ requestId, by: PERSON, text: "yes" });
  expect(await lucky).toMatchObject({ outcome: "answered", text: "yes" });
  expect(setting.clock.timersWaiting).toBe(0);
});

test("a question is withdrawn by who asked it or by the operator, and by nobody else", async () => {
  const setting = new Setting();
  const request = await setting.ask();
  const { requestId } = request;
  await expect(setting.requests.withdraw(requestId, OTHER)).rejects.toMatchObject({
    code: "forbidden",
  });
  expect(await setting.requests.withdraw(requestId, AGENT)).toMatchObject({ outcome: "withdrawn" });
  expect([setting.requests.pending, setting.requests.lapsed]).toEqual([[], []]);
  await expect(setting.requests.withdraw("unknown", AGENT)).rejects.toMatchObject({
    code: "conflict",
  });
});

test("P-A2: answering one question does not close another", async () => {
  const setting = new Setting();
  setting.asks("secret", "10:00");
  const first = await setting.ask();
  const second = await setting.ask({ secret: true });
  const decision = await setting.ask({ kind: "answer" });
  setting.needed = undefined;
  await setting.answer(first, "hunter2");
  setting.requests.look();
  expect(setting.requests.pending).toEqual([second, decision]);
  setting.asks("secret", "10:01");
  setting.requests.noteTyped(bytes("hunter3"), PERSON);
  setting.needed = undefined;
  setting.requests.noteTyped(bytes("\r"), PERSON);
  expect(await setting.outcome(second)).toMatchObject({ outcome: "answered", by: "anna" });
  expect(setting.requests.pending).toEqual([decision]);
});

test("P-A2: typing answers the question that was asked during the read, not the oldest", async () => {
  const setting = new Setting();
  const early = await setting.ask(TYPE);
  setting.asks("line", "10:00");
  const asked = await setting.ask(TYPE);
  setting.requests.noteTyped(bytes("x"), PERSON);
  setting.needed = undefined;
  setting.requests.noteTyped(bytes("\r"), PERSON);
  expect(await setting.outcome(asked)).toMatchObject({ outcome: "answered" });
  expect(setting.requests.pending).toEqual([early]);
});

test("who types into the terminal itself has answered when the program asks no more, or asks something else", async () => {
  const setting = new Setting();
  const first = await setting.ask(TYPE);
  setting.asks("secret", "10:00");
  setting.requests.noteTyped(bytes("hun"), PERSON);
  expect(setting.requests.pending).toHaveLength(1);
  setting.needed = undefined;
  setting.requests.noteTyped(bytes("ter2\r"), PERSON);
  expect(await setting.outcome(first)).toMatchObject({ outcome: "answered", by: "anna" });
  setting.asks("line", "10:01");
  const second = await setting.ask(TYPE);
  setting.requests.noteTyped(bytes("x\r"), PERSON);
  setting.asks("line", "10:02");
  expect(await setting.outcome(second)).toMatchObject({ outcome: "answered" });
});

test("where nobody can tell whether the program asks, Enter is the end of an answer, but not at a prompt", async () => {
  const setting = new Setting();
  const request = await setting.ask(TYPE);
  setting.isAtPrompt = true;
  setting.requests.noteTyped(bytes("ls\r"), PERSON);
  setting.isAtPrompt = false;
  setting.requests.noteTyped(bytes("ye"), PERSON);
  expect(setting.requests.pending).toHaveLength(1);
  setting.requests.noteTyped(bytes("s\r"), PERSON);
  expect(await setting.outcome(request)).toMatchObject({ outcome: "answered" });
});

test("who asks does not answer by typing, and a program that asks anew was not answered", async () => {
  const setting = new Setting();
  setting.asks("secret", "10:00");
  await setting.ask();
  setting.requests.noteTyped(bytes("guess\r"), AGENT);
  setting.asks("secret", "10:01");
  expect(setting.requests.pending).toHaveLength(1);
});

test("P-A2: questions outlive the host, and lapse at their time all the same", async () => {
  const before = new Setting();
  const standing = await before.ask();
  const lapsing = await before.ask({ expiresInMs: 1000 });
  const after = new Setting(before.saved);
  expect(after.requests.pending).toEqual([standing, lapsing]);
  after.expire();
  await after.answer(standing, "yes");
  expect(await after.outcome(standing)).toMatchObject({ outcome: "answered", text: "yes" });
  expect(after.requests.lapsed).toMatchObject([{ requestId: lapsing.requestId }]);
});

test("an answer outlives the host until who asked has fetched it; what was typed is not kept", async () => {
  const before = new Setting();
  const decided = await before.ask();
  const declined = await before.ask();
  const typed = await before.ask(TYPE);
  await before.answer(decided, "yes");
  await before.answer(declined);
  await before.answer(typed, "canary");
  expect(JSON.stringify(before.saved)).not.toContain("canary");
  const after = new Setting(before.saved);
  expect(after.requests.pending).toEqual([]);
  // Others look, and leave it to who asked.
  expect(await after.outcome(decided, OTHER)).not.toHaveProperty("text");
  expect(await after.outcome(decided, PERSON)).toMatchObject({ text: "yes" });
  const again = new Setting(before.saved);
  expect(await again.outcome(decided)).toMatchObject({ outcome: "answered", text: "yes" });
  expect(await again.outcome(declined)).toMatchObject({ outcome: "declined" });
  expect(await again.outcome(typed)).toMatchObject({ outcome: "answered" });
  expect(again.saved).toEqual([]);
  // Within one host it is told again.
  expect(await again.outcome(decided)).toMatchObject({ text: "yes" });
});

test("what lapsed is told by the next host as well, until it is dismissed", async () => {
  const before = new Setting();
  const lapsed = await before.ask({ expiresInMs: 1000 });
  before.expire();
  const after = new Setting(before.saved);
  expect(after.requests.lapsed).toMatchObject([
    { requestId: lapsed.requestId, lapsedAt: lapsed.expiresAt, reason: "expired" },
  ]);
  await after.requests.withdraw(lapsed.requestId, PERSON);
  const last = new Setting(after.saved);
  expect(last.requests.lapsed).toEqual([]);
  expect(await last.outcome(lapsed)).toMatchObject({ outcome: "expired" });
  expect(last.saved).toEqual([]);
});

test("so many answers are kept for who never fetches them, and no more", async () => {
  const setting = new Setting();
  for (let count = 0; count <= MAX_INPUT_REQUESTS; count++) {
    await setting.answer(await setting.ask(), `answer ${count}`);
  }
  expect(setting.saved).toHaveLength(MAX_INPUT_REQUESTS);
  expect(setting.saved.at(-1)?.ended?.answer.text).toBe(`answer ${MAX_INPUT_REQUESTS}`);
  setting.requests.look(true);
  expect(setting.saved).toEqual([]);
});

test("nobody is asked more than can be answered", async () => {
  const setting = new Setting();
  for (let count = 0; count < MAX_INPUT_REQUESTS; count++) await setting.ask();
  await expect(setting.ask()).rejects.toMatchObject({ code: "limit_reached" });
  expect(setting.opened).toHaveLength(MAX_INPUT_REQUESTS);
});
