import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect, type NacreClient } from "@nacre/client";
import { connectLocal, connectProven } from "@nacre/client/node";
import { MAX_IMPORT_BYTES, type TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientOver } from "../../packages/client/src/connect.ts";
import { fetchWire } from "../../packages/client/src/http-wire.ts";
import { socketFetch } from "../../packages/client/src/node/socket-fetch.ts";
import { CuttingProxy, listedCuts } from "../support/cutting-proxy.ts";
import { type OwnDaemon, ownDaemon } from "../support/own-daemon.ts";
import { shLine } from "../support/terminal-input.ts";

let own: OwnDaemon;
beforeAll(async () => {
  own = await ownDaemon();
});
afterAll(() => own[Symbol.asyncDispose]());

/** Every way to a daemon. */
const WAYS: readonly [string, () => Promise<NacreClient> | NacreClient][] = [
  ["its unix socket", () => connectLocal({ home: own.home })],
  ["a port that proves itself", () => connectProven({ url: own.url, token: own.token })],
  ["a port that is trusted", () => connect({ url: own.url, token: own.token })],
];

const CAST = '{"version":3,"term":{"cols":80,"rows":24}}\n[0.1,"o","hello\\r\\n"]\n';

/** A cast of many pieces, larger than any buffer on the way. */
const largeCast = (): string =>
  `${CAST}${`[0.001,"o","${"x".repeat(1000)}\\r\\n"]\n`.repeat(5000)}`;

async function ended(client: NacreClient, line: string): Promise<TerminalId> {
  const { id } = await client.createTerminal(shLine(line));
  await client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
  return id;
}

describe.each(WAYS)("over %s", (_, open) => {
  let client: NacreClient;
  beforeAll(async () => {
    client = await open();
  });

  test("a recording comes out in every form, with a name for its file", async () => {
    const id = await ended(client, "echo out");
    const formats = ["asciicast3", "asciicast2", "text", "html", "jsonLines", "raw"] as const;
    const names: string[] = [];
    for (const format of formats) {
      const { fileName, contentType, bytes } = await client.exportRecording({ id, format });
      const text = await new Response(bytes).text();
      expect([format, contentType, text]).toEqual([
        format,
        expect.stringMatching(/^(application|text)\//),
        expect.stringContaining("out"),
      ]);
      names.push(fileName.slice(fileName.indexOf(".")));
    }
    expect(names).toEqual([".cast", ".cast", ".txt", ".html", ".jsonl", ".raw"]);
  });

  test("a file and a stream go in, and come out as they were", async () => {
    const path = `${own.home}/session.cast`;
    const text = largeCast();
    await writeFile(path, text);
    const fromFile = await client.importRecording({}, await openAsBlob(path));
    const stream = new Blob([text]).stream();
    const owner = { entityName: "Task", entityId: "a b&c" };
    const fromStream = await client.importRecording({ owner }, stream);
    expect(fromStream.entries).toBe(fromFile.entries);
    expect(await client.readTerminal({ id: fromStream.id })).toMatchObject({ owner });
    const back = await client.exportRecording({ id: fromStream.id });
    const lines = (await new Response(back.bytes).text()).split("\n");
    expect(lines.slice(1)).toEqual(text.split("\n").slice(1));
  });

  test("a cast that is wrong is refused at its line", async () => {
    const wrong = client.importRecording({}, new Blob([`${CAST}["no event"]\n`]));
    await expect(wrong).rejects.toMatchObject({ code: "invalid_argument", details: { line: 3 } });
  });

  test("what is not there is refused before any byte", async () => {
    const id = "terminal:nobody" as TerminalId;
    await expect(client.exportRecording({ id })).rejects.toMatchObject({
      code: "terminal_not_found",
    });
  });

  test("who does not want the rest leaves", async () => {
    const { id } = await client.importRecording({}, new Blob([largeCast()]));
    const { bytes } = await client.exportRecording({ id });
    for await (const piece of bytes) {
      expect(piece.byteLength).toBeGreaterThan(0);
      break;
    }
    const leaving = new AbortController();
    const left = await client.exportRecording({ id }, { signal: leaving.signal });
    leaving.abort(new Error("enough"));
    await expect(new Response(left.bytes).text()).rejects.toThrow("enough");
    expect(await client.readHost({})).toMatchObject({ storage: { state: "ok" } });
  });
});

test("a connection that breaks within a recording is told to who reads it", async () => {
  const client = connect({ url: own.url, token: own.token });
  const { id } = await client.importRecording({}, new Blob([largeCast()]));
  using proxy = await CuttingProxy.open({ target: own.port, nextCut: listedCuts([200_000]) });
  const { url, token } = own;
  const wire = fetchWire({ url, token, fetch: socketFetch(proxy.agent) });
  const { bytes } = await clientOver({ wire, url }).exportRecording({ id });
  await expect(new Response(bytes).arrayBuffer()).rejects.toMatchObject({ code: "unavailable" });
});

test("what is too large is not even sent", async () => {
  const client = connect({ url: own.url, token: own.token, fetch: () => expect.unreachable() });
  const large = new Blob([]);
  Object.defineProperty(large, "size", { value: MAX_IMPORT_BYTES + 1 });
  await expect(client.importRecording({}, large)).rejects.toMatchObject({
    code: "payload_too_large",
  });
});
