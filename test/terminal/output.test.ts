import { afterAll, expect, test } from "vitest";
import { decodeBytes, type OutputPage, type OutputPosition } from "@nacre/contracts";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { openHost } from "../support/open-host.ts";
import { entriesOf, recordedOutput } from "../support/recorded-entries.ts";
import { shellNamed, shLine } from "../support/terminal-input.ts";
import {
  DEADLINE_MS,
  followed,
  outputOf,
  type,
  untilText,
  viewOf,
} from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const LINES = 3000;
const NUMBERS = Array.from({ length: LINES }, (_, index) => `${index + 1}\r\n`).join("");

test("400 kB and then the exit: not a byte is missing before it, and none comes after", async () => {
  const terminal = await host.createTerminal(shLine("head -c 400000 /dev/zero | tr '\\0' x"));
  const messages = await followed(terminal);
  expect(viewOf(messages)).toBe("x".repeat(400_000));
  expect((await recordedOutput(host, terminal)).byteLength).toBe(400_000);
  expect(messages.at(-1)).toMatchObject({
    kind: "entry",
    entry: { type: "exit", exitCode: 0, outputBytes: 400_000 },
  });
  expect(messages.filter(({ kind }) => kind === "snapshot")).toEqual([]);
});

test("a viewer that comes during a flood takes nothing from another", async () => {
  const terminal = await host.createTerminal(shLine(`read go; seq 1 ${LINES}`));
  const first = followed(terminal);
  const others: Promise<string>[] = [];
  await type(terminal, "\n");
  while (!terminal.isOver) {
    if (others.length < 20) others.push(followed(terminal).then(viewOf));
    using visitor = terminal.subscribe();
    await visitor.next();
  }
  expect(viewOf(await first)).toContain(NUMBERS);
  expect(new Set([viewOf(await first), ...(await Promise.all(others))]).size).toBe(1);
});

test("a viewer that does not fetch slows nobody, and goes on from a screen that is right", async () => {
  const terminal = await host.createTerminal(shLine("read go; seq 1 200000; echo the end; cat"));
  using stalled = terminal.subscribe();
  await stalled.next();
  await type(terminal, "\n");
  // All of it is there although the viewer took nothing.
  await untilText(terminal, "the end");
  const { value } = await stalled.next();
  const { hash, sequence } = await terminal.reader.readScreen("ansi");
  expect(value).toMatchObject({ kind: "snapshot", screen: { hash, sequence } });
  expect(stalled.position).toBe(terminal.lastSequence);
});

const SEQUENCE = "\u001b[38;2;1;2;3m";

/** Whether every escape sequence and every letter in it is whole. */
function isWhole(view: Uint8Array): boolean {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(view);
  return !text.replaceAll(SEQUENCE, "").includes("\u001b");
}

test("no piece of output begins or ends inside a letter or an escape sequence", async () => {
  const terminal = await host.createTerminal(shLine("stty raw -echo; echo ready; cat"));
  const following = followed(terminal);
  await untilText(terminal, "ready");
  const line = (count: number) => `é漢🙂${SEQUENCE}line-${count}\n`;
  for (let count = 1; count <= 10; count++) {
    for (const byte of Buffer.from(line(count))) await type(terminal, Uint8Array.of(byte));
    await untilText(terminal, `line-${count}\n`);
  }
  await terminal.kill(LOCAL_CALLER, 0);
  const messages = await following;
  const views = messages.flatMap((message) => (message.kind === "entry" ? message.view : []));
  const pieces = views.filter((view) => view !== undefined);
  expect(pieces.length).toBeGreaterThan(10);
  expect(pieces.filter((view) => !isWhole(view))).toEqual([]);
  const lines = Array.from({ length: 10 }, (_, index) => line(index + 1));
  expect(viewOf(messages)).toBe(`ready\n${lines.join("")}`);
});

test("a sequence that is never ended hides what comes after it for a moment only", async () => {
  const terminal = await host.createTerminal(shLine("printf '\\033]0;never ended'; cat"));
  await expect
    .poll(() => outputOf(terminal), { timeout: DEADLINE_MS, interval: 50 })
    .toContain("never ended");
  await type(terminal, "visible\n");
  await expect
    .poll(() => outputOf(terminal), { timeout: DEADLINE_MS, interval: 50 })
    .toContain("visible");
  expect(terminal.isRunning).toBe(true);
});

/** Asks where the cursor is and prints what is answered within a while. */
const ASK = "stty raw -echo; printf '\\033[6n'; head -c 6 | od -An -c; timeout 0.1 cat | od -An -c";

async function answersTo(viewers: number): Promise<string[]> {
  const terminal: Terminal = await host.createTerminal(shLine(`read go; ${ASK}`));
  const watching = Array.from({ length: viewers }, () => followed(terminal, {}));
  await type(terminal, "\n");
  await terminal.ended;
  await Promise.all(watching);
  const said = (await outputOf(terminal)).split("\u001b[6n")[1] ?? "";
  const entries = await entriesOf(host, terminal.id);
  expect(entries.filter((entry) => entry.type === "input")).toHaveLength(2);
  return said.trim().split(/\s+/);
}

test.each([0, 1, 5])("a question is answered once with %i viewers", async (viewers) => {
  expect(await answersTo(viewers)).toEqual(["033", "[", "2", ";", "1", "R"]);
});

/** All pages of this many bytes, to the end of the output. */
async function pagesOf(
  terminal: Terminal,
  maxBytes: number,
  view: "raw" | "stripped" = "stripped",
): Promise<OutputPage[]> {
  const pages: OutputPage[] = [];
  for (let position: OutputPosition = { after: 0 }; ;) {
    const page = await terminal.reader.readOutput({ position, maxBytes, view });
    pages.push(page);
    if (page.ended) return pages;
    position = page.position;
  }
}

const bytesOf = (pages: readonly OutputPage[]): Buffer => Buffer.concat(pages.map(decodeBytes));

test("the same position gives the same bytes, as often as it is asked for", async () => {
  const terminal = await host.createTerminal(shLine("seq 1 20000"));
  await terminal.ended;
  const first = await terminal.reader.readOutput({ maxBytes: 1000 });
  expect(first.ended).toBe(false);
  expect(await terminal.reader.readOutput({ maxBytes: 1000 })).toEqual(first);
  const second = await terminal.reader.readOutput({ position: first.position, maxBytes: 1000 });
  expect(await terminal.reader.readOutput({ position: first.position, maxBytes: 1000 })).toEqual(
    second,
  );
  expect(second.data).not.toBe(first.data);
});

test.each([2, 7, 1000, 65_536])("pages of %i bytes make up the whole output", async (maxBytes) => {
  const lines = maxBytes < 10 ? 15 : 3000;
  const terminal = await host.createTerminal(
    shLine(`i=0; while [ $i -lt ${lines} ]; do echo é-漢-🙂-$i; i=$((i+1)); done; exit 3`),
  );
  await terminal.ended;
  const pages = await pagesOf(terminal, maxBytes);
  expect(bytesOf(pages)).toEqual(await recordedOutput(host, terminal));
  const sizes = pages.map((page) => decodeBytes(page).byteLength);
  // No page is smaller than the letter it has to give.
  expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.max(maxBytes, 4));
  expect(pages.at(-1)).toMatchObject({ ended: true, exitCode: 3 });
  expect(pages.slice(0, -1).filter(({ ended }) => ended)).toEqual([]);
});

test("pages end at whole letters where they have room for one", async () => {
  const terminal = await host.createTerminal(shLine("printf '🙂🙂🙂🙂🙂'"));
  await terminal.ended;
  const pages = await pagesOf(terminal, 9);
  const texts = pages.map(({ data }) => data);
  expect(texts.filter((text) => text !== "")).toEqual(["🙂🙂", "🙂🙂", "🙂"]);
});

test("reading waits for the first byte and then does not wait any longer", async () => {
  const terminal = await host.createTerminal(shLine("read x; echo here; cat"));
  await type(terminal, "\n");
  const { sequence } = await terminal.wait({
    until: [{ kind: "text", text: "here" }],
    after: 0,
    timeoutMs: DEADLINE_MS,
  });
  const position = { after: sequence };
  const reading = terminal.reader.readOutput({ position, waitMs: 10 * DEADLINE_MS });
  await type(terminal, "more\n");
  expect((await reading).data).toMatch(/^m/);
});

test("reading a byte at a time gets past what is nothing but a marker", async () => {
  const terminal = await host.createTerminal(shellNamed("bash"));
  await terminal.wait({ until: [{ kind: "prompt" }], after: 0, timeoutMs: DEADLINE_MS });
  const page = await terminal.reader.readOutput({ maxBytes: 1, waitMs: DEADLINE_MS / 10 });
  expect(page.data).not.toBe("");
});

test("reading that waits in vain says so by giving nothing, and the position stays good", async () => {
  const terminal = await host.createTerminal(shLine("echo here; cat"));
  const after = await untilText(terminal, "here\n");
  const page = await terminal.reader.readOutput({ position: { after }, waitMs: 50 });
  expect(page).toMatchObject({ data: "", ended: false, position: { after } });
});

test("reading that waits is told when the program ends without a word", async () => {
  const terminal = await host.createTerminal(shLine("read x; exit 5"));
  const reading = terminal.reader.readOutput({ position: { after: 2 }, waitMs: 10 * DEADLINE_MS });
  await type(terminal, "\n");
  // The echo of the line may come first.
  const pages = [await reading, ...(await pagesOf(terminal, 1000))];
  expect(pages.at(-1)).toMatchObject({ ended: true, exitCode: 5 });
});

test("after the end what is left can be read, with how it ended", async () => {
  const terminal = await host.createTerminal(shLine("echo tail; read x; exit 4"));
  const { position } = await terminal.reader.readOutput({ waitMs: DEADLINE_MS });
  await type(terminal, "y\n");
  await terminal.ended;
  const rest = await terminal.reader.readOutput({ position });
  expect(rest).toMatchObject({ data: "y\r\n", ended: true, exitCode: 4 });
  const behind = await terminal.reader.readOutput({
    position: rest.position,
    waitMs: 10 * DEADLINE_MS,
  });
  expect(behind).toMatchObject({ data: "", ended: true, exitCode: 4 });
  const killed = await host.createTerminal(shLine("echo up; cat"));
  await untilText(killed, "up\n");
  await killed.signal("SIGKILL", LOCAL_CALLER, "tree");
  await killed.ended;
  const page = await killed.reader.readOutput({});
  expect(page).toMatchObject({ data: "up\r\n", ended: true, exitCode: null, signal: "SIGKILL" });
});

test("markers of the shell are in the raw output only", async () => {
  const terminal = await host.createTerminal(shellNamed("bash"));
  await type(terminal, "echo $((6*7)); exit\r");
  await terminal.ended;
  const pages = await pagesOf(terminal, 1024 * 1024);
  expect(bytesOf(pages).toString()).toContain("42");
  expect(bytesOf(pages).toString()).not.toContain("\u001b]633");
  const raw = bytesOf(await pagesOf(terminal, 1024 * 1024, "raw"));
  expect(raw.toString()).toContain("\u001b]633");
  expect(raw).toEqual(await recordedOutput(host, terminal));
});

test("a marker alone does not end the waiting for output", async () => {
  const marker = "\u001b]633;A\u0007";
  const terminal = await host.createTerminal(
    shLine("stty -echo; echo ready; read x; printf '\\033]633;A\\007'; read y; echo got; cat"),
  );
  const after = await untilText(terminal, "ready\n");
  const reading = terminal.reader.readOutput({ position: { after }, waitMs: DEADLINE_MS });
  await type(terminal, "\n");
  const raw = async () => (await recordedOutput(host, terminal)).toString();
  await expect.poll(raw).toContain(marker);
  await type(terminal, "\n");
  expect(await reading).toMatchObject({ data: "got\r\n", ended: false });
});
