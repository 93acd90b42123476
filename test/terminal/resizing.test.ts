import { afterAll, expect, test } from "vitest";
import type { Size } from "@nacre/contracts";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { agent, clientClaim, person } from "../support/callers.ts";
import { openHost } from "../support/open-host.ts";
import { entriesOf, recordedInput } from "../support/recorded-entries.ts";
import { shLine } from "../support/terminal-input.ts";
import { followed, outputOf, type, untilText, viewOf } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const resize = (terminal: Terminal, cols: number, rows: number): Promise<Size> =>
  terminal.resize({ cols, rows }, LOCAL_CALLER);

const resizesOf = async (terminal: Terminal): Promise<string[]> =>
  (await entriesOf(host, terminal.id)).flatMap((entry) =>
    entry.type === "resize" ? `${entry.cols}x${entry.rows}` : [],
  );

/** Says its size whenever it gets another one, and when a line is typed. */
const SIZES = "trap 'stty size' WINCH; echo ready; while read line; do stty size; done";

test("a new size reaches the program as a signal, and nothing is typed", async () => {
  const terminal = await host.createTerminal(shLine(SIZES));
  await untilText(terminal, "ready");
  expect(await resize(terminal, 101, 31)).toEqual({ cols: 101, rows: 31 });
  await untilText(terminal, "31 101");
  expect(await recordedInput(host, terminal)).toEqual([]);
  expect(await terminal.reader.read()).toMatchObject({ cols: 101, rows: 31 });
  expect(await terminal.reader.readScreen("text")).toMatchObject({ size: { cols: 101, rows: 31 } });
});

test("a program that only reads its input finds nothing in it after a resize", async () => {
  const terminal = await host.createTerminal(shLine("stty raw -echo; echo ready; od -An -c -w1"));
  await untilText(terminal, "ready");
  await resize(terminal, 90, 30);
  await type(terminal, "x");
  await resize(terminal, 91, 30);
  await terminal.kill(LOCAL_CALLER, 0);
  expect(await resizesOf(terminal)).toEqual(["90x30", "91x30"]);
  expect(await outputOf(terminal)).not.toMatch(/90|91/);
});

test("of 50 sizes at once the last one wins, and everybody learns it", async () => {
  const terminal = await host.createTerminal(shLine("read line; stty size; read line"));
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => resize(terminal, 101 + index, 30)),
  );
  expect(answers.at(-1)).toEqual({ cols: 150, rows: 30 });
  await type(terminal, "\n");
  await untilText(terminal, "30 150");
  const recorded = await resizesOf(terminal);
  expect(recorded.at(-1)).toBe("150x30");
  expect(recorded.length).toBeLessThan(10);
});

test("the same size again changes nothing and is not recorded", async () => {
  const terminal = await host.createTerminal(shLine("cat"));
  await resize(terminal, 80, 24);
  await resize(terminal, 100, 30);
  await resize(terminal, 100, 30);
  expect(await resizesOf(terminal)).toEqual(["100x30"]);
});

test.each([
  [0, 24],
  [80, 0],
  [1001, 24],
  [80, 1001],
  [1.5, 24],
  [80, Number.NaN],
  [-1, -1],
])("%d by %d is no size", async (cols, rows) => {
  const terminal = await host.createTerminal(shLine("cat"));
  await expect(resize(terminal, cols, rows)).rejects.toMatchObject({ code: "invalid_argument" });
  const sent = host.Terminal.sendInput({ id: terminal.id, cols, rows });
  await expect(sent).rejects.toMatchObject({ code: "invalid_argument" });
  expect(await terminal.reader.read()).toMatchObject({ cols: 80, rows: 24 });
  expect(await resizesOf(terminal)).toEqual([]);
});

test("the largest size there is can be set", async () => {
  const terminal = await host.createTerminal(shLine("read line; stty size; cat"));
  await resize(terminal, 1000, 500);
  await type(terminal, "\n");
  await untilText(terminal, "500 1000");
  expect(await resizesOf(terminal)).toEqual(["1000x500"]);
});

test("resizing while a program writes loses nothing of what it writes", async () => {
  const lines = 20_000;
  const terminal = await host.createTerminal(shLine(`read go; seq 1 ${lines}`));
  const following = followed(terminal);
  await type(terminal, "\n");
  for (let cols = 60; !terminal.isOver; cols = cols === 60 ? 120 : 60) {
    await resize(terminal, cols, 30).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const numbers = viewOf(await following).match(/\d+/g);
  expect(numbers).toEqual(Array.from({ length: lines }, (_, index) => String(index + 1)));
});

test("the size follows who holds the terminal; others are told the real one", async () => {
  const [ada, bob] = [person("ada"), person("bob")];
  const claim = clientClaim("ada");
  const terminal = await host.createTerminal(shLine("read line; stty size; cat"), { claim });
  expect(await terminal.resize({ cols: 100, rows: 30 }, ada)).toEqual({ cols: 100, rows: 30 });
  expect(await terminal.resize({ cols: 50, rows: 10 }, bob)).toEqual({ cols: 100, rows: 30 });
  const watcher = person("eve", "readOnly");
  expect(await terminal.resize({ cols: 50, rows: 10 }, watcher)).toEqual({ cols: 100, rows: 30 });
  await type(terminal, "\n");
  await untilText(terminal, "30 100");
  await terminal.claims.move({ wanted: clientClaim("bob"), by: bob });
  expect(await terminal.resize({ cols: 50, rows: 10 }, bob)).toEqual({ cols: 50, rows: 10 });
  expect(await terminal.resize({ cols: 100, rows: 30 }, ada)).toEqual({ cols: 50, rows: 10 });
  expect(await resizesOf(terminal)).toEqual(["100x30", "50x10"]);
});

test("everybody who follows a terminal sees its sizes in their place", async () => {
  const terminal = await host.createTerminal(shLine("cat"));
  const following = followed(terminal);
  await type(terminal, "before\n");
  await untilText(terminal, "before\nbefore");
  await resize(terminal, 90, 30);
  await type(terminal, "after\n");
  await untilText(terminal, "after\nafter");
  await terminal.kill(LOCAL_CALLER, 0);
  const messages = await following;
  const resizeAt = messages.findIndex(
    (message) => message.kind === "entry" && message.entry.type === "resize",
  );
  expect(viewOf(messages.slice(0, resizeAt))).toBe("before\r\nbefore\r\n");
  expect(viewOf(messages.slice(resizeAt))).toBe("after\r\nafter\r\n");
});

test("where an agent holds a terminal, the size of a person who looks counts", async () => {
  const claim = { kind: "session", session: "s1" } as const;
  const terminal = await host.createTerminal(shLine("cat"), { claim, by: agent("s1") });
  expect(await terminal.resize({ cols: 70, rows: 20 }, person("ada"))).toEqual({
    cols: 70,
    rows: 20,
  });
});
