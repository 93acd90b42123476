import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ascii, ECHO_LAUNCH, RAW, Scratch, scriptLaunch } from "../pty/contract/pty-fixtures.ts";
import { linuxPty } from "../pty/linux-pty.ts";
import { KeptPty, type PtySink } from "./kept-pty.ts";
import { MIN_RING_BYTES, RING_BYTES, RingBudget } from "./output-ring.ts";

const MAX_BYTES = 4 * 1024 * 1024;
const FLOOD_BYTES = RING_BYTES - 1024 * 1024;

/** A reader that records everything at once. */
class Recording implements PtySink {
  readonly isBusy = false;
  readonly parts: Uint8Array[] = [];
  readonly ended = Promise.withResolvers<void>();
  readonly #kept: KeptPty;
  #handle: () => void = () => undefined;

  constructor(kept: KeptPty) {
    this.#kept = kept;
    kept.attach(this, 0);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  sendOutput(_pty: number, offset: number, { bytes }: { bytes: Uint8Array }): void {
    this.parts.push(bytes.slice());
    const end = offset + bytes.byteLength;
    queueMicrotask(() => {
      this.#kept.consume(end);
      this.#kept.acknowledge(end);
      this.#handle();
    });
  }

  sendEnd(): void {
    this.ended.resolve();
  }

  sendExit(): void {}

  awaitTurn(go: () => void): void {
    setImmediate(go);
  }

  async until(text: string): Promise<void> {
    while (!this.bytes.includes(text)) {
      await new Promise<void>((resolve) => {
        this.#handle = resolve;
      });
    }
  }
}

test("floods together fill no more than the bound, nobody else waits for them, and nothing is lost", async () => {
  using scratch = new Scratch();
  await using stack = new AsyncDisposableStack();
  const total = new RingBudget(MAX_BYTES);
  let number = 0;
  const keep = async (launch: typeof ECHO_LAUNCH): Promise<KeptPty> => {
    const pty = await linuxPty.spawn(launch);
    const kept = new KeptPty(pty, { number: ++number, kind: "terminal", launch, total });
    stack.defer(() => kept.dispose());
    return kept;
  };
  const written = randomBytes(FLOOD_BYTES);
  writeFileSync(scratch.file("written"), written);
  const flood = scriptLaunch(`${RAW}; exec cat < "$1"`, scratch.file("written"));
  const floods = await Promise.all([keep(flood), keep(flood), keep(flood)]);
  while (!total.isFull) await new Promise(setImmediate);

  // Somebody who says little is read all the same, and what the floods hold does not grow meanwhile.
  const echo = await keep(ECHO_LAUNCH);
  const listener = new Recording(echo);
  await listener.until("ready");
  for (let round = 0; round < 20; round++) {
    await echo.pty.write(ascii(`round ${round} `));
    await listener.until(`round ${round} `);
    expect(total.heldBytes).toBeLessThan(MAX_BYTES + floods.length * 4 * MIN_RING_BYTES);
  }

  for (const kept of floods) {
    const recording = new Recording(kept);
    await recording.ended.promise;
    expect(recording.bytes.equals(written)).toBe(true);
  }
  await Promise.all([...floods, echo].map((kept) => kept.dispose()));
  expect(total.heldBytes).toBe(0);
});
