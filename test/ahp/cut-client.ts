import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { WebSocket } from "ws";
import { ROOT } from "../support/ahp-client.ts";
import { Message, readWelcome, Told, type Welcome } from "../support/ahp-messages.ts";
import type { Random } from "../support/random.ts";
import { Heard } from "./heard.ts";

/** Connections last for at most so many actions. */
const MOST_ACTIONS = 30;

/** A connection that is cut before its handshake is answered lasts for at most so many turns. */
const MOST_TURNS = 20;

/** So often it does something itself after what it heard. */
const RENAMES = 0.05;

/** Names a terminal that there never was. */
const GONE = "ahp-terminal:/never-was";

/** Whom and how a client follows. */
export interface CutClientParts {
  readonly url: string;
  readonly token: string;
  readonly clientId: string;
  readonly version: string;
  /** What it follows, the root among them. */
  readonly channels: readonly string[];
  /** Whether it comes back with one cursor for all channels, or one for each. */
  readonly form: "cursor" | "cursors";
  readonly random: Random;
  /** Whether connections are cut now; asked at the beginning of each. */
  readonly isCutting: () => boolean;
}

/** A client whose connections are cut at random moments and which takes up each time what it missed. */
export class CutClient implements AsyncDisposable {
  readonly version: string;
  readonly heard: ReadonlyMap<string, Heard>;
  /** How often it was cut. */
  cuts = 0;
  /** How often it came back and was told what it missed, action by action. */
  replays = 0;
  readonly #parts: CutClientParts;
  readonly #ready = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  #last = 0;
  #correctionSeq = 0;
  #isOver = false;
  #problem: Error | undefined;
  #socket: WebSocket | undefined;
  /** A connection of before that was not cut, but is not read any more either. */
  #left: WebSocket | undefined;
  /** Resolves when it may come back; it is not kept away when there is none. */
  #absence: Promise<void> | undefined;
  #handleHeard = (): void => undefined;
  #handleGone = (): void => undefined;

  constructor(parts: CutClientParts) {
    this.#parts = parts;
    this.version = parts.version;
    this.heard = new Map(parts.channels.map((channel) => [channel, new Heard(channel)]));
    this.#running = this.#run();
    this.#running.catch((error: unknown) => {
      this.#problem = error instanceof Error ? error : new Error(String(error));
      this.#ready.reject(error);
    });
  }

  /** Resolves when it follows its channels for the first time. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Throws what went wrong, if anything did. */
  throwProblem(): void {
    if (this.#problem) throw this.#problem;
  }

  /** Resolves when it has heard the end of everything; rejects when anything went wrong before. */
  async untilEnded(): Promise<void> {
    const isEnded = (): boolean => [...this.heard.values()].every((heard) => heard.isEnded);
    const ended = new Promise<void>((resolve) => {
      this.#handleHeard = () => isEnded() && resolve();
      this.#handleHeard();
    });
    await Promise.race([this.#running, ended]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#socket?.terminate();
    this.#left?.terminate();
    // What went wrong was told to who waited.
    await this.#running.catch(() => undefined);
  }

  /** Keeps it away from now on; resolves when it is gone, with what lets it come back. */
  async hold(): Promise<() => void> {
    const back = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    this.#handleGone = gone.resolve;
    this.#absence = back.promise;
    this.#socket?.terminate();
    await Promise.race([gone.promise, this.#running]);
    return () => {
      this.#absence = undefined;
      back.resolve();
    };
  }

  async #run(): Promise<void> {
    for (let isKnown = false; !this.#isOver; isKnown = true) {
      while (this.#absence) {
        this.#handleGone();
        await this.#absence;
      }
      await this.#connection(isKnown);
      if (this.#parts.isCutting()) this.cuts += 1;
    }
  }

  #plan(): Cut {
    const { random } = this.#parts;
    const afterActions = random.between(0, MOST_ACTIONS);
    return random.weighted<Cut>([
      [2, { afterTurns: random.between(0, MOST_TURNS) }],
      [6, { afterActions }],
      [2, { afterActions, isLeft: true }],
    ]);
  }

  /** Lasts until the connection is cut or left. */
  async #connection(isKnown: boolean): Promise<void> {
    const { url, token, isCutting, random } = this.#parts;
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${url}/ahp`, { headers });
    this.#socket = socket;
    const over = Promise.withResolvers<void>();
    let cut = isKnown && isCutting() ? this.#plan() : undefined;
    let actions = 0;
    socket.on("message", (data: Buffer) => {
      try {
        if (this.#handle(Message.parse(JSON.parse(data.toString())))) actions += 1;
        if (isCutting() && random.chance(RENAMES)) socket.send(this.#rename());
        if (cut === undefined && isCutting()) cut = { afterActions: actions };
      } catch (error) {
        over.reject(error);
      }
      if (actions < (cut?.afterActions ?? Number.POSITIVE_INFINITY)) return;
      socket.removeAllListeners("message");
      over.resolve();
    });
    socket.on("close", () => over.resolve());
    // A connection that is cut while it is made fails, as it should.
    socket.on("error", (error) => {
      if (this.#absence || this.#isOver) over.resolve();
      else over.reject(error);
    });
    const opened = new Promise<void>((resolve) => void socket.on("open", resolve));
    await Promise.race([opened, over.promise]);
    if (socket.readyState === WebSocket.OPEN) socket.send(this.#greeting(isKnown));
    if (cut?.afterTurns === undefined) await over.promise;
    for (let turn = 0; turn < (cut?.afterTurns ?? 0); turn++) await setImmediate();
    this.#leave(socket, cut?.isLeft === true);
  }

  /** Cuts a connection, or lets it be without ever reading it again, until the next one is left. */
  #leave(socket: WebSocket, isLeft: boolean): void {
    socket.removeAllListeners("message");
    this.#left?.terminate();
    this.#left = isLeft ? socket : undefined;
    if (isLeft && socket.readyState === WebSocket.OPEN) socket.pause();
    else socket.terminate();
  }

  #greeting(isKnown: boolean): string {
    const { clientId, version, channels, form } = this.#parts;
    const all = [...channels, GONE];
    const cursors = all.map((channel) => ({
      channel,
      lastSeenServerSeq: this.heard.get(channel)?.lastSeq ?? 0,
    }));
    const more = !isKnown
      ? { protocolVersions: [version], initialSubscriptions: channels }
      : form === "cursors"
        ? { subscriptions: cursors }
        : { subscriptions: all, lastSeenServerSeq: this.#last };
    const method = isKnown ? "reconnect" : "initialize";
    return JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { channel: ROOT, clientId, ...more },
    });
  }

  /** Gives the last of its terminals another title, of which it hears like everybody. */
  #rename(): string {
    const { channels, random } = this.#parts;
    const action = { type: "terminal/titleChanged", title: `title ${random.between(1, 1e6)}` };
    // Numbers begin anew with each connection, as those of official clients do.
    const params = { channel: channels.at(-1), clientSeq: 1, action };
    return JSON.stringify({ jsonrpc: "2.0", method: "dispatchAction", params });
  }

  /** Takes a message; whether it was an action. */
  #handle({ method, params, result, error }: Message): boolean {
    assert.equal(error, undefined);
    if (method === undefined) this.#welcome(readWelcome(result));
    else this.#push(Told.parse(params));
    this.#handleHeard();
    return method !== undefined;
  }

  #welcome({ snapshots, actions, missing }: Welcome): void {
    if (missing !== undefined) {
      assert.deepEqual(missing, [GONE]);
      this.replays += 1;
    }
    for (const snapshot of snapshots) {
      this.#heardOf(snapshot.resource).begin(snapshot);
      this.#last = Math.max(this.#last, snapshot.fromSeq);
    }
    let before = 0;
    for (const action of actions) {
      if (this.#parts.form === "cursor") assert.ok(action.serverSeq > before, "out of order");
      before = action.serverSeq;
      this.#hear(action);
    }
    this.#last = Math.max(this.#last, before);
    this.#ready.resolve();
  }

  #push(told: Told): void {
    assert.ok(told.serverSeq > this.#last, `${told.serverSeq} came after ${this.#last}`);
    this.#last = told.serverSeq;
    this.#hear(told);
  }

  /** Takes note of what is for everybody; a name that came too late is rejected for this client alone, with what is true behind it. */
  #hear(told: Told): void {
    const { serverSeq, channel, rejectionReason } = told;
    if (rejectionReason !== undefined) this.#correctionSeq = serverSeq + 1;
    else if (serverSeq !== this.#correctionSeq) this.#heardOf(channel).push(told);
  }

  #heardOf(channel: string): Heard {
    const heard = this.heard.get(channel);
    assert.ok(heard, `nobody asked for ${channel}`);
    return heard;
  }
}

/** When a connection ends: never, after so many turns, or after so many actions, where it may be left instead of cut. */
interface Cut {
  readonly afterTurns?: number;
  readonly afterActions?: number;
  readonly isLeft?: boolean;
}
