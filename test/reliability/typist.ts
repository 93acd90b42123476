import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TerminalId } from "@nacre/contracts";
import { waitUntil } from "../support/wait-until.ts";
import type { OwnHome } from "./own-home.ts";
import { bytesOf, entriesOf } from "./recorded-output.ts";

/** The terminal that is typed into. */
export const TYPED = TerminalId.parse("terminal:typed");

/** Faster than anybody types, and slow enough that others get their turn. */
const PAUSE_MS = 4;

/** Somebody who types one number after the other, whatever becomes of the daemon, and never one twice. */
export class Typist {
  readonly #home: OwnHome;
  readonly #received: string;
  /** Those that the daemon said it took. */
  readonly #taken: number[] = [];
  #last = 0;
  #isStopped = false;
  #typing: Promise<void> | undefined;

  constructor(home: OwnHome) {
    this.#home = home;
    this.#received = join(home.work, "typed");
  }

  async start(): Promise<void> {
    const client = this.#home.client();
    await client.createTerminal({
      id: TYPED,
      command: "/bin/sh",
      args: ["-c", 'stty raw -echo; echo ready; exec cat >"$0"', this.#received],
      workingDirectory: this.#home.work,
      env: this.#home.env,
      inputRecording: "full",
    });
    await client.waitFor({ id: TYPED, until: [{ kind: "text", text: "ready" }], after: 0 });
    this.#typing = this.#type();
  }

  /** How many were taken so far. */
  get takenCount(): number {
    return this.#taken.length;
  }

  /** Ends, and compares what the program got, what is recorded and what was taken; gives how many were. */
  async end(): Promise<number> {
    this.#isStopped = true;
    await this.#typing;
    const client = this.#home.client();
    const data = "end;";
    await client.sendInput({ id: TYPED, data });
    await waitUntil(() => this.#text.endsWith(data), { what: "everything typed is there" });
    const got = numbersOf(this.#text);
    let recordedText = "";
    for await (const entry of entriesOf(client, TYPED, "raw")) {
      if (entry.type === "input") recordedText += Buffer.from(bytesOf(entry)).toString();
    }
    const recorded = new Set(numbersOf(recordedText));
    const isAscending = got.every((number, index) => index === 0 || number > (got[index - 1] ?? 0));
    if (!isAscending) throw new Error("keys came twice or in another order");
    const known = new Set(got);
    const lost = this.#taken.filter((number) => !known.has(number)).length;
    if (lost > 0) throw new Error(`${lost} of ${this.#taken.length} keys that were taken are lost`);
    const unrecorded = this.#taken.filter((number) => !recorded.has(number)).length;
    if (unrecorded > 0) {
      throw new Error(
        `${unrecorded} of ${this.#taken.length} keys that were taken are not recorded`,
      );
    }
    return this.#taken.length;
  }

  get #text(): string {
    return statSync(this.#received, { throwIfNoEntry: false })
      ? readFileSync(this.#received, "latin1")
      : "";
  }

  async #type(): Promise<void> {
    while (!this.#isStopped) {
      const number = ++this.#last;
      try {
        await this.#home.client().sendInput({ id: TYPED, data: `${number};` });
        this.#taken.push(number);
      } catch {
        // Nobody knows whether it was taken; as a person would, this one goes on with the next.
      }
      await sleep(PAUSE_MS);
    }
  }
}

const numbersOf = (text: string): number[] =>
  text
    .split(";")
    .filter((word) => /^\d+$/.test(word))
    .map(Number);
