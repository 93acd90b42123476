// Passwords that are typed at a prompt, on every way by which something can be typed.
import assert from "node:assert/strict";
import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { WebSocket } from "ws";
import { newCanary } from "../support/canary.ts";
import type { DaemonProcess } from "../support/daemon-process.ts";
import { LineClient } from "../support/line-client.ts";
import type { Secrets } from "./secret-places.ts";

/** Asks for a password again and again, and says how long each was. */
const PROGRAM =
  'n=1; while :; do stty -echo; printf "Password %d: " $n; read -r secret; stty echo; echo "$n: ${#secret} letters"; n=$((n + 1)); done';

/** What secrets are typed with. */
export interface TypingParts {
  readonly daemon: DaemonProcess;
  readonly client: NacreClient;
  readonly secrets: Secrets;
  /** What the terminal service gave for its password. */
  readonly serviceToken: string;
}

type Type = (id: TerminalId, text: string) => Promise<void>;

/** Types a secret on each way; resolves when the program has taken all. */
export async function typeSecrets(parts: TypingParts): Promise<TerminalId> {
  const { client, secrets } = parts;
  const { id } = await client.createTerminal({ command: "/bin/sh", args: ["-c", PROGRAM] });
  const untilText = async (text: string): Promise<void> => {
    const { outcome } = await client.waitFor({ id, until: [{ kind: "text", text }], after: 0 });
    assert.equal(outcome, "text", `${text} did not come`);
  };
  for (const [at, [name, type]] of waysOf(parts).entries()) {
    await untilText(`Password ${at + 1}: `);
    const secret = secrets.add(`a password typed by ${name}`, newCanary());
    await type(id, `${secret}\r`);
    await untilText(`${at + 1}: ${secret.length} letters`);
  }
  return id;
}

const waysOf = ({
  daemon,
  client,
  serviceToken,
  secrets,
}: TypingParts): readonly (readonly [string, Type])[] => [
  ["an operation", async (id, data) => void (await client.sendInput({ id, data }))],
  [
    "an operation with bytes",
    async (id, text) => {
      const data = Buffer.from(text).toString("base64");
      await client.sendInput({ id, data, encoding: "base64" });
    },
  ],
  [
    "a paste",
    async (id, text) => {
      await client.pasteText({ id, text: text.trim() });
      await client.sendInput({ id, keys: ["Enter"] });
    },
  ],
  ["a raw socket", (id, text) => say(daemon, `/api/terminals/${id}/connect`, Buffer.from(text))],
  [
    "a raw socket with control",
    (id, data) =>
      say(
        daemon,
        `/api/terminals/${id}/connect?control=1`,
        JSON.stringify({ type: "input", data }),
      ),
  ],
  [
    "a raw socket with a ticket",
    async (id, text) => {
      const path = `/api/terminals/${id}/connect`;
      const { ticket } = await client.createTicket({ path });
      secrets.add("a used ticket", ticket);
      const address = `ws://127.0.0.1:${daemon.port}${path}?ticket=${ticket}`;
      await send(new WebSocket(address), Buffer.from(text));
    },
  ],
  [
    "a raw socket with a token among its protocols",
    async (id, text) => {
      const address = `ws://127.0.0.1:${daemon.port}/api/terminals/${id}/connect`;
      const protocols = ["nacre.raw.v1", `nacre.bearer.${daemon.token}`];
      await send(new WebSocket(address, protocols), Buffer.from(text));
    },
  ],
  [
    "a session",
    (id, data) =>
      say(
        daemon,
        `/api/terminal/ws?sessionId=${id}&token=${serviceToken}`,
        JSON.stringify({ type: "input", data }),
      ),
  ],
  [
    "lines on the unix socket",
    async (id, data) => {
      using lines = new LineClient(daemon.socketPath);
      const params = { entity: "Terminal", method: "sendInput", id, payload: { data } };
      await lines.result("entity.command", params);
    },
  ],
];

const say = (
  { port, token }: DaemonProcess,
  path: string,
  message: string | Buffer,
): Promise<void> =>
  send(
    new WebSocket(`ws://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    }),
    message,
  );

/** Sends one message as soon as something came, and leaves. */
function send(socket: WebSocket, message: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("message", () => {
      socket.send(message);
      socket.close();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
}
