import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { socketFetch } from "./socket-fetch.ts";

test("an answer that breaks on a kept connection is told to who reads it, and nothing is asked again", async () => {
  const asked: string[] = [];
  const streaming: Socket[] = [];
  const server = createServer(({ url = "", socket }, response) => {
    asked.push(url);
    if (url !== "/feed") return void response.end("done");
    streaming.push(socket);
    response.write("begun");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = new Agent({ keepAlive: true });
  const fetch = socketFetch(agent);
  const kept = once(agent, "free");
  await (await fetch(`${url}/plain`, {})).text();
  await kept;
  const { body } = await fetch(`${url}/feed`, {});
  const reader = body!.getReader();
  await reader.read();
  streaming[0]?.resetAndDestroy();
  await expect(reader.read()).rejects.toThrow("aborted");
  // What was asked before this one is done by the time it is answered.
  await (await fetch(`${url}/last`, {})).text();
  expect(asked).toEqual(["/plain", "/feed", "/last"]);
  agent.destroy();
  server.close();
});
