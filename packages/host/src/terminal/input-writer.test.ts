import { CallerId, MAX_INPUT_BYTES, NacreError } from "@nacre/contracts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { InputFacts } from "../command/secret-moment.ts";
import { MAX_QUEUED_INPUT_BYTES, type Pty, type PtyState } from "../pty/pty.ts";
import { Recordings } from "../recording/recordings.ts";
import { terminalRow } from "../testing/terminal-row.ts";
import { Appender, Backlog, type EntryWithViews } from "./appender.ts";
import { Lifecycle } from "./lifecycle.ts";
import { InputWriter, type InputWriterDeps, type RoomWaiter } from "./input-writer.ts";

const ADA = CallerId.parse("ada");
const allow = (): void => undefined;
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

/** A Pty that only takes input. */
class Inlet implements Pty {
  readonly id = "pty";
  readonly leader = { pid: 1, startTicks: 0 };
  readonly exited = new Promise<never>(() => undefined);
  readonly written: string[] = [];
  line: Partial<PtyState> = { echo: true, canonical: true };
  writeIn: NonNullable<Pty["writeIn"]> = () => Promise.resolve(undefined);

  write(given: Uint8Array): Promise<void> {
    this.written.push(Buffer.from(given).toString());
    return Promise.resolve();
  }

  state(): Promise<PtyState> {
    return Promise.resolve({ size: { cols: 80, rows: 24 }, queuedInputBytes: 0, ...this.line });
  }

  read(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  resize(): Promise<void> {
    return Promise.resolve();
  }

  signal(): Promise<void> {
    return Promise.resolve();
  }

  kill(): Promise<{ ended: number; forced: boolean; survivors: [] }> {
    return Promise.resolve({ ended: 0, forced: false, survivors: [] });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

const FACTS: Omit<InputFacts, "echo" | "canonical"> = {
  phase: "running",
  bracketedPaste: false,
  shell: undefined,
  lastLine: "",
  isSecretOpen: false,
  silentRead: undefined,
};
const RAW = { echo: false, canonical: false };
const HIDDEN = { echo: false, canonical: true };

/** The facts of a moment, whatever the line discipline says. */
const at =
  (more: Partial<InputFacts>): InputWriterDeps["facts"] =>
  ({ echo, canonical }) => ({ ...FACTS, echo, canonical, ...more });

let guarded: string[] = [];
let recordings: Recordings;
let count = 0;
let row = terminalRow("a");
let pty: Inlet;
let told: EntryWithViews[] = [];
let problems: unknown[] = [];
let lifecycle: Lifecycle;

beforeAll(async () => {
  recordings = await Recordings.open();
});
afterAll(() => recordings[Symbol.asyncDispose]());
beforeEach(() => {
  pty = new Inlet();
  told = [];
  guarded = [];
  problems = [];
});

async function gateWith(
  more: Partial<InputWriterDeps> = {},
  ready: Promise<unknown> = Promise.resolve(),
): Promise<InputWriter> {
  row = terminalRow(`a${++count}`);
  lifecycle = new Lifecycle(row.id, () => undefined);
  lifecycle.enter("active");
  const recording = await recordings.create(row);
  const handleRecorded = (recorded: EntryWithViews): void => void told.push(recorded);
  const appender = new Appender({ recording, backlog: new Backlog(), handleRecorded });
  return new InputWriter(
    {
      pty,
      appender,
      lifecycle,
      facts: ({ echo, canonical }) => ({ ...FACTS, echo, canonical }),
      answerReader: () => Promise.resolve("program"),
      guardEcho: (given) => guarded.push(Buffer.from(given).toString()),
      claimSettled: () => Promise.resolve(true),
      takesInput: true,
      handleProblem: (error) => problems.push(error),
      handleInput: () => undefined,
      ...more,
    },
    ready,
  );
}

test("what is typed while the claim changes is judged by the new one, or refused when that takes long", async () => {
  const settled = Promise.withResolvers<boolean>();
  const gate = await gateWith({ claimSettled: () => settled.promise });
  let holder = ADA;
  const check = (): void => {
    if (holder !== ADA) throw new NacreError("claim_held", "somebody else holds it");
  };
  const typing = gate.type({ bytes: bytes("late"), by: ADA, check });
  await pty.state();
  holder = CallerId.parse("bob");
  settled.resolve(true);
  await expect(typing).rejects.toMatchObject({ code: "claim_held" });
  const slow = await gateWith({ claimSettled: () => Promise.resolve(false) });
  await expect(slow.type({ bytes: bytes("x"), by: ADA, check: allow })).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(pty.written).toEqual([]);
});

const typedTold = () => told.map(({ entry }) => entry);

test("input is with the program and in the recording once typing resolves", async () => {
  const gate = await gateWith();
  await gate.type({ bytes: bytes("ls\n"), by: ADA, check: allow });
  expect(pty.written).toEqual(["ls\n"]);
  expect(typedTold()).toMatchObject([{ type: "input", by: "ada", data: bytes("ls\n") }]);
});

test("whole messages go one after the other, in the order of their coming", async () => {
  const gate = await gateWith();
  const messages = Array.from({ length: 50 }, (_, index) => `message ${index}\n`);
  await Promise.all(messages.map((text) => gate.type({ bytes: bytes(text), check: allow })));
  expect(pty.written).toEqual(messages);
});

test("input waits until the shell is ready, but what the terminal itself answers does not", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate = await gateWith({}, promise);
  const typing = gate.type({ bytes: bytes("typed"), check: allow });
  await gate.answer(bytes("answer"));
  expect(pty.written).toEqual(["answer"]);
  resolve();
  await typing;
  expect(pty.written).toEqual(["answer", "typed"]);
});

test("input that may not be typed any more when its turn comes is refused and changes nothing", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate = await gateWith({}, promise);
  let isHolder = true;
  const check = (): void => {
    if (!isHolder) throw new NacreError("claim_held", "bob holds this terminal");
  };
  const typing = gate.type({ bytes: bytes("late"), check });
  const next = gate.type({ bytes: bytes("next"), check: allow });
  isHolder = false;
  resolve();
  await expect(typing).rejects.toMatchObject({ code: "claim_held" });
  await next;
  expect(pty.written).toEqual(["next"]);
  expect(typedTold()).toHaveLength(1);
});

test("input for a program that ended while it waited is refused and changes nothing", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate = await gateWith({}, promise);
  const typing = gate.type({ bytes: bytes("late"), check: allow });
  lifecycle.enter("exited");
  resolve();
  await expect(typing).rejects.toMatchObject({ code: "terminal_exited" });
  await gate.answer(bytes("answer"));
  expect(pty.written).toEqual([]);
  expect(told).toEqual([]);
});

test("more than fits into one message is refused at once", async () => {
  const gate = await gateWith();
  const typing = gate.type({ bytes: new Uint8Array(MAX_INPUT_BYTES + 1), check: allow });
  await expect(typing).rejects.toMatchObject({ code: "payload_too_large", field: "data" });
});

test("what does not fit into the queue of the program is refused and not recorded", async () => {
  const gate = await gateWith();
  pty.line = { queuedInputBytes: MAX_QUEUED_INPUT_BYTES - 3 };
  const typing = gate.type({ bytes: bytes("four"), check: allow });
  await expect(typing).rejects.toMatchObject({ code: "input_queue_full" });
  expect(pty.written).toEqual([]);
  expect(told).toEqual([]);
  await gate.type({ bytes: bytes("fit"), check: allow });
  expect(pty.written).toEqual(["fit"]);
});

test.each([
  ["the terminal does not show the line", HIDDEN, {}, {}],
  ["the words before the cursor ask for it", RAW, { facts: at({ lastLine: "Password: " }) }, {}],
  ["the caller says so, and nobody can tell", RAW, {}, { sensitive: true }],
])("a secret is not recorded where %s", async (_, line, parts, how) => {
  const heard: boolean[] = [];
  const gate = await gateWith({
    ...parts,
    handleInput: (_bytes, isSecret) => heard.push(isSecret),
  });
  pty.line = line;
  await gate.type({ bytes: bytes("hunter2\n"), check: allow, ...how });
  expect(pty.written).toEqual(["hunter2\n"]);
  expect(typedTold()).toMatchObject([{ type: "input", redacted: true }]);
  expect(typedTold().filter((entry) => entry.type === "input" && entry.data)).toEqual([]);
  expect(heard).toEqual([true]);
});

test("the program does not wait for the disk, and what could not be recorded is reported", async () => {
  const gate = await gateWith();
  await recordings.delete(row.id);
  await gate.type({ bytes: bytes("typed"), check: allow });
  expect(pty.written).toEqual(["typed"]);
  expect(problems).toMatchObject([{ code: "terminal_not_found" }]);
});

test("what waits for its turn is bounded too, and its room is free again afterwards", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate = await gateWith({}, promise);
  const most = gate.type({ bytes: new Uint8Array(MAX_QUEUED_INPUT_BYTES), check: allow });
  await expect(gate.type({ bytes: bytes("x"), check: allow })).rejects.toMatchObject({
    code: "input_queue_full",
  });
  resolve();
  await most;
  await gate.type({ bytes: bytes("x"), check: allow });
  expect(pty.written.at(-1)).toBe("x");
});

/** A sender that waits for room, and knows whether it is held back. */
class Patient implements RoomWaiter {
  readonly #gone = new AbortController();
  readonly signal = this.#gone.signal;
  holds = 0;

  hold(): Disposable {
    this.holds++;
    return { [Symbol.dispose]: () => void this.holds-- };
  }

  leave(): void {
    this.#gone.abort();
  }
}

const isFull = { queuedInputBytes: MAX_QUEUED_INPUT_BYTES };

test("who can wait is held back until the program reads, and nothing overtakes it", async () => {
  const gate = await gateWith();
  pty.line = isFull;
  const [paste, keys] = [new Patient(), new Patient()];
  const typed = [
    gate.type({ bytes: bytes("one"), check: allow, whenFull: paste }),
    gate.type({ bytes: bytes("two"), check: allow, whenFull: paste }),
    gate.type({ bytes: bytes("three"), check: allow, whenFull: keys }),
  ];
  await expect.poll(() => [paste.holds, keys.holds]).toEqual([2, 1]);
  expect(told).toEqual([]);
  pty.line = {};
  await Promise.all(typed);
  expect(pty.written).toEqual(["one", "two", "three"]);
  expect([paste.holds, keys.holds]).toEqual([0, 0]);
});

test("who cannot wait is refused while others do, also when it came before that was known", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate = await gateWith({}, promise);
  pty.line = isFull;
  const patient = new Patient();
  const waiting = gate.type({ bytes: bytes("waits"), check: allow, whenFull: patient });
  const before = gate.type({ bytes: bytes("before"), check: allow });
  resolve();
  await expect(before).rejects.toMatchObject({ code: "input_queue_full" });
  const after = gate.type({ bytes: bytes("after"), check: allow });
  await expect(after).rejects.toMatchObject({ code: "input_queue_full" });
  pty.line = {};
  await waiting;
  await gate.type({ bytes: bytes("x"), check: allow });
  expect(pty.written).toEqual(["waits", "x"]);
});

test("what waits beyond the bound holds its sender back before its turn comes", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate = await gateWith({}, promise);
  const patient = new Patient();
  const most = { bytes: new Uint8Array(MAX_QUEUED_INPUT_BYTES), check: allow, whenFull: patient };
  const first = gate.type(most);
  expect(patient.holds).toBe(0);
  const second = gate.type({ bytes: bytes("x"), check: allow, whenFull: patient });
  expect(patient.holds).toBe(1);
  resolve();
  await Promise.all([first, second]);
  expect(patient.holds).toBe(0);
});

test.each([
  ["its sender is gone", (patient: Patient) => patient.leave()],
  ["the terminal is closed", (_: Patient, gate: InputWriter) => gate.stopWaiting()],
])("input waits no longer when %s", async (_, end) => {
  const gate = await gateWith();
  pty.line = isFull;
  const patient = new Patient();
  const typing = gate.type({ bytes: bytes("in vain"), check: allow, whenFull: patient });
  await expect.poll(() => patient.holds).toBe(1);
  end(patient, gate);
  await expect(typing).rejects.toMatchObject({ code: "input_queue_full" });
  await gate.settled;
  expect(patient.holds).toBe(0);
  expect(pty.written).toEqual([]);
});

test("who loses the claim while it waits for room is refused", async () => {
  const gate = await gateWith();
  pty.line = isFull;
  const patient = new Patient();
  let isHeld = false;
  const check = (): void => {
    if (isHeld) throw new NacreError("claim_held", "somebody else drives");
  };
  const typing = gate.type({ bytes: bytes("x"), check, whenFull: patient });
  await expect.poll(() => patient.holds).toBe(1);
  isHeld = true;
  await expect(typing).rejects.toMatchObject({ code: "claim_held" });
  expect(pty.written).toEqual([]);
});

test("who types is told when the turn comes, before the program gets anything", async () => {
  const gate = await gateWith();
  const order: string[] = [];
  const handed = gate.type({ bytes: bytes("x"), check: allow, begin: () => order.push("begun") });
  await handed;
  expect(order).toEqual(["begun"]);
  expect(pty.written).toEqual(["x"]);
});

test("a program without input takes none, and is answered nothing", async () => {
  const gate = await gateWith({ takesInput: false });
  const typing = gate.type({ bytes: bytes("x"), check: allow });
  await expect(typing).rejects.toMatchObject({ code: "conflict" });
  await gate.answer(bytes("answer"));
  expect(pty.written).toEqual([]);
  expect(told).toEqual([]);
});

test.each([
  ["a shell is at its prompt", RAW, { facts: at({ phase: "prompt" }) }],
  ["a line is not finished", RAW, { facts: at({ phase: "continuation" }) }],
  ["the terminal shows the line", {}, {}],
] as const)(
  "P-A1: a secret is refused where %s, however it is said to be one",
  async (_, line, parts) => {
    const gate = await gateWith(parts);
    pty.line = { echo: true, canonical: true, ...line };
    for (const how of [{ sensitive: true }, { hidden: true }]) {
      const typing = gate.type({ bytes: bytes("hunter2\r"), check: allow, ...how });
      await expect(typing).rejects.toMatchObject({ code: "conflict" });
    }
    expect(pty.written).toEqual([]);
    expect(told).toEqual([]);
  },
);

test("P-A1: a hidden answer needs a program that asks, where a sensitive text needs only nobody who shows it", async () => {
  const gate = await gateWith();
  pty.line = RAW;
  const typing = gate.type({ bytes: bytes("hunter2\r"), check: allow, hidden: true });
  await expect(typing).rejects.toThrow("no program is known to ask");
  await gate.type({ bytes: bytes("hunter2\r"), check: allow, sensitive: true });
  expect(pty.written).toEqual(["hunter2\r"]);
});

test.each<[string, Partial<InputWriterDeps>]>([
  ["a shell would run", { answerReader: () => Promise.resolve("shell") }],
  ["no program reads", { answerReader: () => Promise.resolve("nobody") }],
  ["a shell would run that came to its prompt meanwhile", { facts: at({ phase: "prompt" }) }],
])("P-A1: an answer that %s is refused in its turn, and nothing is typed", async (_, parts) => {
  const gate = await gateWith(parts);
  const typing = gate.type({ bytes: bytes("yes\r"), check: allow, isAnswer: true });
  await expect(typing).rejects.toMatchObject({ code: "conflict" });
  expect(pty.written).toEqual([]);
  expect(told).toEqual([]);
});

test("whoever has the Pty looks once more before a secret is written, and nothing is recorded when it is too late", async () => {
  const gate = await gateWith();
  pty.line = HIDDEN;
  const answer = { bytes: bytes("hunter2\r"), check: allow, hidden: true, isAnswer: true };
  await gate.type(answer);
  expect(pty.written).toEqual(["hunter2\r"]);
  expect(guarded).toEqual(["hunter2\r"]);
  pty.writeIn = () => Promise.resolve(false);
  await expect(gate.type(answer)).rejects.toThrow("stopped asking");
  expect(pty.written).toHaveLength(1);
  expect(typedTold()).toMatchObject([{ type: "input", redacted: true }]);
});
