// The protocol's checklist: what actions do to a terminal.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { type AhpClient, ROOT } from "../support/ahp-client.ts";
import type { RootState } from "../support/ahp-mirror.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

/** Opens a client of each shape that states have had, oldest first. */
const clientsOfAllShapes = (): Promise<AhpClient[]> =>
  Promise.all(
    ["0.5.0", "0.7.0", "1.0.0"].map((version) =>
      rig.client({ versions: [version], subscriptions: [ROOT] }),
    ),
  );

test("46. input reaches the program unchanged and in order", async () => {
  using client = await rig.client();
  const pieces = Array.from({ length: 200 }, (_, index) =>
    ["\u0000\u0001\u0003\u0004", "ü€😀", "\u001b[200~x\r\n\u001b[201~", "\u0011\u0013\u007f", "é"][
      index % 5
    ]?.concat(String(index)),
  ).map(String);
  const whole = Buffer.from(pieces.join(""));
  const path = join(rig.userHome, "typed");
  const line = `stty raw -echo; printf ready; head -c ${whole.length} > '${path}'; printf done`;
  const channel = await rig.run(client, line);
  await client.watch(channel);
  await client.untilText(channel, "ready");
  for (const piece of pieces) client.type(channel, piece);
  await client.untilText(channel, "done");
  const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
  expect(hashOf(readFileSync(path))).toBe(hashOf(whole));
});

test("47. a new size reaches the program and the state", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.shell(client);
  await other.watch(channel);
  for (const [cols, rows] of [
    [120, 40],
    [20, 5],
    [132, 43],
  ] as const) {
    client.dispatch(channel, { type: "terminal/resized", cols, rows });
    client.type(channel, "stty size\r");
    await other.until(
      () =>
        other
          .text(channel)
          .replaceAll(/[\r\n]+/g, " ")
          .includes(`${rows} ${cols} `),
      `${rows} ${cols}`,
    );
    const { fresh, mirrored } = await other.compare(channel);
    expect(fresh).toMatchObject({ cols, rows });
    expect(mirrored).toMatchObject({ cols, rows });
  }
});

test("49. clearing empties the content for everybody", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.run(client, "echo words; exec cat");
  await client.watch(channel);
  await client.untilText(channel, "words\r\n");
  await other.watch(channel);
  client.dispatch(channel, { type: "terminal/cleared" });
  await other.untilAction(channel, "terminal/cleared");
  expect(other.terminal(channel).content).toEqual([]);
  const { fresh } = await other.compare(channel);
  expect(fresh.content).toEqual([]);
  client.type(channel, "more\r");
  await other.untilText(channel, "more\r\nmore\r\n");
  using late = await rig.client();
  expect((await late.watch(channel)).content).toEqual(other.terminal(channel).content);
});

test("50. a title that a client set stays", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  const channel = await rig.shell(client);
  client.dispatch(channel, { type: "terminal/titleChanged", title: "my own title" });
  await client.untilAction(channel, "terminal/titleChanged");
  const commands = ["cd /tmp", "sleep 0.3", "sh -c 'echo in another program'"];
  for (const [index, command] of commands.entries()) {
    client.type(channel, `${command}; echo done-${index}-$?-\r`);
    await client.untilText(channel, `done-${index}-0-`);
  }
  await client.untilText(channel, "in another program\r\n");
  expect(client.actionsOf(channel, "terminal/titleChanged")).toHaveLength(1);
  expect((await client.compare(channel)).fresh.title).toBe("my own title");
  expect(await rig.infoOf(client, channel)).toMatchObject({ title: "my own title" });
});

test("51. the directory is a URI, in actions and in states", async () => {
  using client = await rig.client();
  const directory = join(rig.userHome, "a dir # with ? ü");
  mkdirSync(directory);
  const cwd = pathToFileURL(directory).href;
  const channel = await rig.shell(client);
  client.type(channel, `cd '${directory}'\r`);
  const { action } = await client.untilEnvelope((envelope) => envelope.action.cwd === cwd);
  expect(action).toEqual({ type: "terminal/cwdChanged", cwd });
  expect((await client.compare(channel)).fresh.cwd).toBe(cwd);
});

test("52. each version has its own shape of one terminal at the same time", async () => {
  const clients = await clientsOfAllShapes();
  using stack = new DisposableStack();
  for (const client of clients) stack.use(client);
  const [old, middle, newest] = clients as [AhpClient, AhpClient, AhpClient];
  const claim = { kind: "session", session: "ahp-session:/s1", chat: "ahp-chat:/c1" };
  const channel = await rig.run(newest, "exec head -n 1", { claim, name: "a title" });
  for (const client of clients) await client.watch(channel);
  const infoOf = ({ root }: { readonly root: RootState }) =>
    root.terminals?.find(({ resource }) => resource === channel);
  for (const client of clients) await client.until(() => infoOf(client) !== undefined);
  expect(old.terminal(channel)).not.toHaveProperty("isPty");
  expect(middle.terminal(channel).isPty).toBe(true);
  expect(newest.terminal(channel).isPty).toBe(true);
  for (const client of [old, middle]) {
    expect(client.terminal(channel)).not.toHaveProperty("lifecycle");
    expect(client.terminal(channel)).not.toHaveProperty("exitCode");
    expect(infoOf(client)).toEqual({
      resource: channel,
      title: "a title",
      claim: { kind: "session", session: "ahp-session:/s1" },
    });
  }
  expect(newest.terminal(channel)).toMatchObject({ claim, lifecycle: { status: "running" } });
  newest.type(channel, "end\r");
  for (const client of clients) {
    await client.untilAction(channel, "terminal/exited");
    await client.until(() => JSON.stringify(infoOf(client)).includes("exitCode"));
    const { mirrored, fresh } = await client.compare(channel);
    expect(mirrored).toEqual(fresh);
  }
  for (const client of [old, middle]) {
    for (const shaped of [client.terminal(channel), infoOf(client)]) {
      expect(shaped).toMatchObject({ exitCode: 0 });
      expect(shaped).not.toHaveProperty("lifecycle");
    }
  }
  for (const shaped of [newest.terminal(channel), infoOf(newest)]) {
    expect(shaped).toMatchObject({ lifecycle: { status: "exited", exitCode: 0 } });
    expect(shaped).not.toHaveProperty("exitCode");
  }
});

test("53. an end without a code is told without one", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  using old = await rig.client({ versions: ["0.5.0"] });
  const channel = await rig.run(client, "read _; kill -9 $$");
  await client.watch(channel);
  await old.watch(channel);
  client.type(channel, "\r");
  const { action } = await client.untilAction(channel, "terminal/exited");
  expect(action).toEqual({ type: "terminal/exited" });
  expect(client.terminal(channel).lifecycle).toEqual({ status: "exited" });
  expect((await client.compare(channel)).fresh.lifecycle).toEqual({ status: "exited" });
  expect((await rig.infoOf(client, channel))?.lifecycle).toEqual({ status: "exited" });
  await old.untilAction(channel, "terminal/exited");
  expect((await old.compare(channel)).fresh).not.toHaveProperty("exitCode");
});

test("54. all output comes before the end", async () => {
  using client = await rig.client();
  const channel = await rig.run(client, "read _; seq 1 30000; printf 'no newline at the end'");
  await client.watch(channel);
  client.type(channel, "\r");
  const end = await client.untilAction(channel, "terminal/exited");
  expect(client.envelopesOf(channel).at(-1)).toBe(end);
  const numbers = Array.from({ length: 30_000 }, (_, index) => `${index + 1}\r\n`).join("");
  expect(client.text(channel)).toBe(`\r\n${numbers}no newline at the end`);
});

test("55. delivery, view and flow control do no harm, and bring no frames", async () => {
  using client = await rig.client();
  const channel = await rig.run(client, "echo words; exec cat");
  const receive = { windowBytes: 65_536, maximumFrameBytes: 4096, maximumMessageBytes: 65_536 };
  for (const params of [
    { delivery: { maxLatencyMs: 0 } },
    { delivery: { maxLatencyMs: 50 }, view: { turns: 3 } },
    { flowControl: { receive }, _meta: {} },
  ]) {
    const result = await client.request("subscribe", { channel, ...params });
    expect(result).toEqual({ snapshot: expect.objectContaining({ resource: channel }) });
  }
  await client.untilText(channel, "words\r\n");
  client.type(channel, "more\r");
  await client.untilText(channel, "more\r\nmore\r\n");
  const methods = client.frames.flatMap(({ message }) => message.method ?? []);
  expect(new Set(methods)).toEqual(new Set(["action"]));
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
