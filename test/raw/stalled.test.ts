import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { draw, newEmulator, screenOf } from "../support/headless-emulator.ts";
import { recordedOutput } from "../support/recorded-entries.ts";
import { untilText } from "../support/terminal-output.ts";
import { type Client, connectPath, openServer, type TestServer } from "./raw-server.ts";

/** More than the kernel keeps for a reader that does not read. */
const FLOOD_BYTES = 12 * 1024 * 1024;

const FLOOD = `read go; yes 0123456789abcdef | head -c ${FLOOD_BYTES}; echo; echo flooded; sleep 2.5; echo rested; cat`;

/** A viewer that is behind for so long is shown the screen anew; the program rests for longer, and a busy machine may pause for less. */
const MAX_BEHIND_MS = 2000;

let server: TestServer;
beforeAll(async () => {
  server = await openServer({ maxBehindMs: MAX_BEHIND_MS });
});
afterAll(() => server[Symbol.asyncDispose]());

const cursorOf = (client: Client): number =>
  Number(client.controlsOf("cursor").at(-1)?.["sequence"] ?? 0);

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** What an emulator shows which was given everything that a client got. */
async function screenAt({ bytes }: Client): Promise<string> {
  const emulator = newEmulator();
  await draw(emulator, bytes);
  const screen = screenOf(emulator);
  emulator.dispose();
  return screen;
}

test("a viewer that stopped reading holds little, slows nobody, can type, and catches up by a snapshot", async () => {
  const terminal = await server.create(FLOOD);
  const stalled = server.connect(connectPath(terminal.id, "?control=1"));
  await stalled.until(() => cursorOf(stalled) > 0);
  const reader = await server.connect(connectPath(terminal.id, "?control=1&cursor=0")).untilOpen();
  stalled.socket.pause();
  let mostBytes = 0;
  reader.socket.on("message", () => {
    mostBytes = Math.max(mostBytes, server.upgrades.state.bufferedBytes);
  });
  stalled.socket.send(Buffer.from("\r"));
  const flooded = await untilText(terminal, "flooded");
  await reader.until(() => cursorOf(reader) >= flooded);
  expect(hashOf(reader.bytes)).toBe(hashOf(await recordedOutput(server.host, terminal)));
  expect(reader.controlsOf("snapshot")).toEqual([]);
  expect(mostBytes).toBeLessThan(1024 * 1024);
  // It sees nothing, but what it types arrives.
  stalled.socket.send(Buffer.from("typed blindly\r"));
  const typed = await untilText(terminal, "typed blindly", flooded);
  await untilText(terminal, "rested", typed);
  stalled.socket.resume();
  await stalled.until(() => cursorOf(stalled) >= typed);
  expect(stalled.controlsOf("snapshot").length).toBeGreaterThan(1);
  expect(stalled.bytes.byteLength).toBeLessThan(FLOOD_BYTES);
  // The terminal echoes the line, and the program writes it again.
  await expect.poll(() => screenAt(stalled)).toMatch(/typed blindly\nrested\ntyped blindly$/);
  const { text } = await terminal.reader.readScreen("text");
  expect(await screenAt(stalled)).toBe(text.trimEnd());
});
