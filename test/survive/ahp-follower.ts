import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";
import { ROOT } from "../support/ahp-client.ts";
import { Message, readWelcome, Told } from "../support/ahp-messages.ts";

/** No event tells that a daemon is there again. */
const LOOK_MS = 50;

/** What `reconnect` is answered where the host does not know the client: it begins anew then, as the protocol says. */
const NOT_FOUND = -32_008;

/** Follows one terminal over the Agent Host Protocol, over as many daemons as it takes. */
export class AhpFollower implements AsyncDisposable {
  /** What the terminal shows: that of the newest snapshot, and everything after it. */
  text = "";
  /** How often a daemon was found that did not know this client. */
  beginnings = 0;
  readonly #address: { readonly url: string; readonly token: string };
  readonly #channel: string;
  readonly #ended = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  #socket: WebSocket | undefined;
  #isOver = false;
  #last = 0;
  #isKnown = false;

  constructor(address: { readonly url: string; readonly token: string }, terminalId: string) {
    this.#address = address;
    this.#channel = terminalId.replace("terminal:", "ahp-terminal:/");
    this.#running = this.#run();
    this.#running.catch(this.#ended.reject);
  }

  /** Resolves when the program ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#socket?.terminate();
    await this.#running.catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#connection();
      await wait(LOOK_MS);
    }
  }

  /** One connection, to its end. */
  #connection(): Promise<void> {
    const { url, token } = this.#address;
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${url.replace("http", "ws")}/ahp`, { headers });
    this.#socket = socket;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.on("open", () => socket.send(this.#isKnown ? this.#return() : this.#begin()));
    socket.on("message", (data: Buffer) => {
      try {
        this.#handle(Message.parse(JSON.parse(data.toString())), socket);
      } catch (error) {
        reject(error);
      }
    });
    // A daemon that is away refuses, and is looked for again.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    return promise;
  }

  #begin(): string {
    const more = { protocolVersions: ["1.0.0"], initialSubscriptions: [ROOT, this.#channel] };
    return request("initialize", more);
  }

  #return(): string {
    const more = { subscriptions: [ROOT, this.#channel], lastSeenServerSeq: this.#last };
    return request("reconnect", more);
  }

  #handle({ method, params, result, error }: Message, socket: WebSocket): void {
    if (error) {
      assert.equal(error.code, NOT_FOUND, error.message);
      this.#isKnown = false;
      socket.send(this.#begin());
      return;
    }
    if (method !== undefined) return this.#hear(Told.parse(params));
    if (!this.#isKnown) this.beginnings += 1;
    this.#isKnown = true;
    const { snapshots, actions } = readWelcome(result);
    for (const { resource, fromSeq, state } of snapshots) {
      this.#last = fromSeq;
      if (resource !== this.#channel) continue;
      this.text = (state.content ?? [])
        .map(({ value = "", output = "" }) => value + output)
        .join("");
      if (state.lifecycle?.status === "exited") this.#ended.resolve();
    }
    for (const action of actions) this.#hear(action);
  }

  #hear({ channel, serverSeq, action }: Told): void {
    this.#last = serverSeq;
    if (channel !== this.#channel) return;
    if (action.type === "terminal/data") this.text += action.data ?? "";
    if (action.type === "terminal/exited") this.#ended.resolve();
  }
}

const request = (method: string, more: object): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { channel: ROOT, clientId: "survivor", ...more },
  });
