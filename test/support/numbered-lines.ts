import assert from "node:assert/strict";
import type { NacreClient } from "@nacre/client";
import { type TerminalId, type TerminalRecordingEntry, decodeBytes } from "@nacre/contracts";
import type { OutputPosition } from "@nacre/contracts";

/** Writes as many numbered lines as it is told, again and again, until it is told no number. */
const PROGRAM =
  'stty -echo; i=0; while read -r n && [ -n "$n" ]; do end=$((i + n)); seq -f "line %.0f" $((i + 1)) $end; i=$end; echo "done $i."; done; exit 5';

/** A terminal whose output is numbered lines, as many as wanted. */
export class NumberedLines {
  readonly id: TerminalId;
  readonly #client: NacreClient;
  #lines = 0;
  #sequence = 0;

  private constructor(client: NacreClient, id: TerminalId) {
    this.#client = client;
    this.id = id;
  }

  static async start(client: NacreClient): Promise<NumberedLines> {
    const { id } = await client.createTerminal({ command: "/bin/sh", args: ["-c", PROGRAM] });
    return new NumberedLines(client, id);
  }

  get lines(): number {
    return this.#lines;
  }

  /** Writes so many lines more; resolves when they are recorded. */
  async write(count: number): Promise<void> {
    const { id } = this;
    await this.#client.sendInput({ id, data: `${count}\n` });
    this.#lines += count;
    const until = [{ kind: "text" as const, text: `done ${this.#lines}.` }];
    const { outcome, sequence } = await this.#client.waitFor({ id, until, after: this.#sequence });
    assert.equal(outcome, "text", `line ${this.#lines} did not come`);
    this.#sequence = sequence;
  }

  /** Ends the program. */
  async end(): Promise<void> {
    const { id } = this;
    await this.#client.sendInput({ id, data: "\n" });
    const { outcome } = await this.#client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
    assert.equal(outcome, "exit");
  }

  /** Everything that was recorded. */
  async entries(): Promise<TerminalRecordingEntry[]> {
    return await recordedAfter(this.#client, this.id, 0);
  }

  /** What the program wrote after a sequence, as viewers see it. */
  async view(after: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let position: OutputPosition = { after };
    for (;;) {
      const page = await this.#client.readOutput({ id: this.id, position, maxBytes: 1024 * 1024 });
      pieces.push(decodeBytes(page));
      position = page.position;
      if (page.ended) return Buffer.concat(pieces);
    }
  }
}

/** Everything that was recorded after a sequence. */
export async function recordedAfter(
  client: Pick<NacreClient, "findRecordingEntries">,
  terminalId: TerminalId,
  after: number,
): Promise<TerminalRecordingEntry[]> {
  const entries: TerminalRecordingEntry[] = [];
  for (let next: number | undefined = after; next !== undefined;) {
    const page = await client.findRecordingEntries({ terminalId, after: next, limit: 1000 });
    entries.push(...page.entries);
    next = page.nextAfter;
  }
  return entries;
}
