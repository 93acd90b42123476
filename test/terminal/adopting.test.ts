import { describe, expect, test } from "vitest";
import { createHost, type Host, LOCAL_CALLER, type Pty, type PtyDriver } from "@nacre/host";
import { ownDirectory } from "../support/own-directory.ts";
import { entriesOf } from "../support/recorded-entries.ts";
import { shLine } from "../support/terminal-input.ts";
import { outputOf } from "../support/terminal-output.ts";

type Chunk = NonNullable<Awaited<ReturnType<Pty["read"]>>>;
type Exit = Awaited<Pty["exited"]>;

const ID = "kept";

/** A program on pipes that outlives its reader, and writes what a test says. */
class KeptProgram {
  readonly #chunks: Chunk[] = [];
  readonly #exited = Promise.withResolvers<Exit>();
  #endOffset = 0;
  #wake: () => void = () => undefined;
  #isOver = false;
  memo: string | undefined;
  firstOffset = 0;
  readonly adoptedAt: number[] = [];

  readonly driver: PtyDriver = {
    name: "kept",
    spawn: ({ memo }) => {
      this.memo = memo;
      return Promise.resolve(this.#open(0));
    },
    list: () => {
      const { memo, firstOffset } = this;
      const facts = { id: ID, leader: { pid: 1, startTicks: 0 }, size: { cols: 80, rows: 24 } };
      return Promise.resolve(memo === undefined ? [] : [{ ...facts, firstOffset, memo }]);
    },
    adopt: (_, fromOffset) => {
      this.adoptedAt.push(fromOffset);
      return Promise.resolve(this.#open(fromOffset));
    },
  };

  write(text: string, stream?: "stderr"): void {
    const bytes = new Uint8Array(Buffer.from(text));
    this.#chunks.push({ offset: this.#endOffset, bytes, ...(stream ? { stream } : {}) });
    this.#endOffset += bytes.byteLength;
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.memo = undefined;
    this.#exited.resolve({ exitCode: 0, outputBytes: this.#endOffset, drained: true });
    this.#wake();
  }

  #open(fromOffset: number): Pty {
    let offset = fromOffset;
    const read = async (): Promise<Chunk | undefined> => {
      for (;;) {
        const chunk = this.#chunks.findLast((one) => one.offset <= offset);
        const bytes = chunk?.bytes.slice(offset - chunk.offset);
        if (chunk && bytes && bytes.byteLength > 0) {
          const next = { ...chunk, offset, bytes };
          offset += bytes.byteLength;
          return next;
        }
        if (this.#isOver) return undefined;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    };
    const pty: Partial<Pty> = {
      id: ID,
      leader: { pid: 1, startTicks: 0 },
      exited: this.#exited.promise,
      read,
      acknowledge: (upTo) => (this.firstOffset = Math.max(this.firstOffset, upTo)),
      kill: () => {
        this.end();
        return Promise.resolve({ ended: 1, forced: false, survivors: [] });
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    return pty as Pty;
  }
}

/** Starts the program in a host, and has it write until all of this is recorded. */
async function recordFirst(host: Host, kept: KeptProgram, recorded: string) {
  const options = { by: LOCAL_CALLER, mode: "pipe" } as const;
  const terminal = await host.registry.create(shLine("true"), options);
  kept.write("out\u001b]2;t");
  kept.write("error", "stderr");
  await expect.poll(() => outputOf(terminal)).toBe(recorded);
  await host.registry.detach(() => undefined);
  return terminal.id;
}

test("where one of two texts is held back, the next host has every byte of both once", async () => {
  using directory = ownDirectory();
  const kept = new KeptProgram();
  const options = { directory: directory.path, pipes: kept.driver };
  const first = await createHost(options);
  const id = await recordFirst(first, kept, "outerror");
  await first[Symbol.asyncDispose]();

  await using second = await createHost(options);
  kept.write("itle\u0007end");
  kept.end();
  await second.registry.get(id).ended;
  const texts = { stdout: "", stderr: "" };
  const entries = await entriesOf(second, id);
  for (const entry of entries) {
    if (entry.type !== "output") continue;
    texts[entry.stream ?? "stdout"] += Buffer.from(entry.data ?? []).toString();
  }
  expect(texts).toEqual({ stdout: "out\u001b]2;title\u0007end", stderr: "error" });
  expect(entries.at(-1)).toMatchObject({ type: "exit", exitCode: 0 });
});

test("what nobody has any more is a gap", async () => {
  using directory = ownDirectory();
  const kept = new KeptProgram();
  const options = { directory: directory.path, pipes: kept.driver };
  const first = await createHost(options);
  const id = await recordFirst(first, kept, "outerror");
  await first[Symbol.asyncDispose]();

  kept.firstOffset = 13;
  await using second = await createHost(options);
  kept.write("end");
  kept.end();
  await second.registry.get(id).ended;
  const entries = await entriesOf(second, id);
  expect(entries.slice(-3)).toMatchObject([
    { type: "gap", lostBytes: 5, reason: "restart" },
    { type: "output", offset: 13 },
    { type: "exit" },
  ]);
});

test("what only another version can go on with is reported and left as it is", async () => {
  using directory = ownDirectory();
  const kept = new KeptProgram();
  const problems: unknown[] = [];
  const handleProblem = (_: unknown, error: unknown): void => void problems.push(error);
  const options = { directory: directory.path, pipes: kept.driver, handleProblem };
  const first = await createHost(options);
  const id = await recordFirst(first, kept, "outerror");
  await first[Symbol.asyncDispose]();

  kept.memo = JSON.stringify({ terminalId: id, mode: "hologram" });
  await using second = await createHost(options);
  expect(problems).toMatchObject([{ code: "unsupported" }]);
  expect(kept.adoptedAt).toEqual([]);
  const entries = await entriesOf(second, id);
  expect(entries.map(({ type }) => type)).not.toContain("exit");
});

describe("a command that was run by itself in another host", () => {
  /** Runs it there until it has written something, and lets it go; it has an hour, or what is left of one then. */
  async function runFirst(path: string, kept: KeptProgram, passedMs: number) {
    const options = { directory: path, pipes: kept.driver };
    const first = await createHost(options);
    const { owner, workingDirectory } = shLine("true");
    const program = { commandLine: "true", mode: "pipe", timeoutMs: 3_600_000 } as const;
    // Nobody is there any more for its answer.
    void first.exec({ owner, workingDirectory, ...program }).catch(() => undefined);
    await expect.poll(() => first.registry.list().length).toBe(1);
    const [terminal] = first.registry.list();
    kept.write("begun");
    await expect.poll(() => terminal && outputOf(terminal)).toBe("begun");
    await first.registry.detach(() => undefined);
    await first[Symbol.asyncDispose]();
    const memo = JSON.parse(kept.memo ?? "") as { readonly endAt: number };
    kept.memo = JSON.stringify({ ...memo, endAt: memo.endAt - passedMs });
    return { second: await createHost(options), id: terminal!.id };
  }

  test("is ended at its deadline", async () => {
    using directory = ownDirectory();
    const kept = new KeptProgram();
    const { second, id } = await runFirst(directory.path, kept, 3_600_001);
    await using host = second;
    await expect.poll(() => host.registry.list()).toEqual([]);
    expect(kept.memo).toBeUndefined();
    expect((await entriesOf(host, id)).at(-1)).toMatchObject({ type: "exit" });
  });

  test("goes on until then, and leaves the list when it has ended by itself", async () => {
    using directory = ownDirectory();
    const kept = new KeptProgram();
    const { second, id } = await runFirst(directory.path, kept, 1000);
    await using host = second;
    expect(host.registry.get(id).isRunning).toBe(true);
    kept.write(" and done");
    kept.end();
    await expect.poll(() => host.registry.list()).toEqual([]);
    const entries = await entriesOf(host, id);
    expect(entries.at(-1)).toMatchObject({ type: "exit", exitCode: 0, outputBytes: 14 });
  });
});
