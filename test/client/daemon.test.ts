import { connect, type NacreClient, type TerminalMessage } from "@nacre/client";
import { connectLocal, connectProven } from "@nacre/client/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OwnDaemon, ownDaemon } from "../support/own-daemon.ts";
import { shLine } from "../support/terminal-input.ts";

let own: OwnDaemon;
beforeAll(async () => {
  own = await ownDaemon();
});
afterAll(() => own[Symbol.asyncDispose]());

/** Every way to a daemon. */
const WAYS: readonly [string, () => Promise<NacreClient> | NacreClient][] = [
  ["its unix socket", () => connectLocal({ home: own.home, clientLabel: "test" })],
  ["a port that proves itself", () => connectProven({ url: own.url, token: own.token })],
  ["a port that is trusted", () => connect({ url: own.url, token: own.token })],
];

const echo = shLine('while read -r line; do echo "got $line"; done');

describe.each(WAYS)("over %s", (_, open) => {
  let client: NacreClient;
  beforeAll(async () => {
    client = await open();
  });

  test("operations of every method carry their input in path, query and body", async () => {
    const { id } = await client.createTerminal({ ...echo, name: "Ä/b?c#d" });
    expect(await client.readTerminal({ id })).toMatchObject({ id, name: "Ä/b?c#d" });
    await client.sendInput({ id, data: "a b&c=d\r" });
    const until = [{ kind: "text", text: "got a b&c=d" } as const];
    expect(await client.waitFor({ id, until, after: 0 })).toMatchObject({ outcome: "text" });
    const page = await client.readOutput({ id, position: { after: 0 }, maxBytes: 4096 });
    expect(page.data).toContain("got a b&c=d");
    const rest = await client.readOutput({ id, position: page.position });
    expect(rest.data).toBe("");
    const types = ["input", "output"] as const;
    const found = await client.findRecordingEntries({
      terminalId: id,
      types: [...types],
      limit: 1,
    });
    expect(found).toMatchObject({ entries: [{ type: "input" }], truncated: true });
    expect(await client.resizeTerminal({ id, cols: 91, rows: 33 })).toMatchObject({ cols: 91 });
    expect(await client.renameTerminal({ id, title: "new" })).toBeDefined();
    expect(await client.listTerminals({ state: "active" })).toMatchObject({
      terminals: expect.arrayContaining([expect.objectContaining({ id })]) as unknown,
    });
    await client.disposeTerminal({ id });
  });

  test("a failure is the one that the host told", async () => {
    const id = "terminal:nobody" as never;
    await expect(client.readTerminal({ id })).rejects.toMatchObject({ code: "terminal_not_found" });
    const wrong = client.createTerminal({ ...echo, workingDirectory: "/nowhere/at/all" });
    await expect(wrong).rejects.toMatchObject({ code: "cwd_not_found", field: "workingDirectory" });
  });

  test("a terminal is followed to its end", async () => {
    const { id } = await client.createTerminal(shLine("echo out; exit 3"));
    const kinds: string[] = [];
    for await (const message of client.feed(id, { after: 0 })) {
      kinds.push(message.kind === "entry" ? message.entry.type : message.kind);
    }
    expect(kinds[0]).toBe("header");
    expect(kinds.at(-1)).toBe("exit");
    await using again = client.feed(id);
    expect((await again.next()).value).toMatchObject({
      kind: "snapshot",
      screen: { text: expect.stringMatching(/^out\n/) as string },
    });
  });

  test("events come while something happens", async () => {
    await using events = client.events({ channels: ["terminal:*.recordingEntry.appended"] });
    const first = events.next();
    const { id } = await client.createTerminal(shLine("exit"));
    await client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
    const { value } = await first;
    expect(value).toMatchObject({
      type: "event",
      event: { kind: "terminal.recordingEntry.appended" },
    });
  });

  test("a terminal is opened, typed into and seen to its end", async () => {
    const { id } = await client.createTerminal(
      shLine('read -r line; echo "got $line $(stty size)"; exit 4'),
    );
    await using terminal = client.openTerminal(id);
    const messages: TerminalMessage[] = [];
    for await (const message of terminal) {
      messages.push(message);
      if (message.kind !== "snapshot") continue;
      terminal.resize({ cols: 77, rows: 22 });
      terminal.write("hel");
      terminal.write(new TextEncoder().encode("lo\r"));
    }
    const text = messages.map((one) => ("bytes" in one ? decode(one.bytes) : "")).join("");
    expect(text).toContain("got hello 22 77");
    expect(messages[0]).toMatchObject({ kind: "snapshot", size: { cols: 80, rows: 24 } });
    expect(messages).toContainEqual({ kind: "size", size: { cols: 77, rows: 22 } });
    expect(messages.at(-1)).toMatchObject({ kind: "exit", exitCode: 4 });
    expect(() => terminal.write("late")).toThrow(/no connection/);
  });

  test("a terminal that is not there cannot be opened", async () => {
    const terminal = client.openTerminal("terminal:nobody");
    await expect(terminal.next()).rejects.toMatchObject({ code: "terminal_not_found" });
  });
});

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test("a wrong token is told to nobody but who knows it, and refused by who is asked", async () => {
  const wrong = { url: own.url, token: `${own.token.slice(0, -4)}AAAA` };
  await expect(connectProven(wrong).readHost({})).rejects.toMatchObject({ code: "forbidden" });
  await expect(connect(wrong).readHost({})).rejects.toMatchObject({ code: "unauthenticated" });
});

test("a home without a daemon is told as such", async () => {
  const nowhere = connectLocal({ home: `${own.home}/nowhere` });
  await expect(nowhere).rejects.toMatchObject({ code: "unavailable" });
});
