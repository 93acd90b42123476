import type { TerminalId } from "@nacre/contracts";
import { expect, test, vi } from "vitest";
import { MemoryStore } from "../../store/memory-store.ts";
import type { StoreReader } from "../../store/store.ts";
import { terminalId, terminalRow } from "../../testing/terminal-row.ts";
import { encodeFact } from "../recorded-entry.ts";
import { RecordingWriter } from "../recording-writer.ts";
import { IndexStore } from "./index-store.ts";
import { Indexer } from "./indexer.ts";

const [A, B] = [terminalId("a"), terminalId("b")];

type Reads = "readAnchor" | "readSeal" | "readExtent" | "readHead" | "readTime";

function recorded(): MemoryStore {
  const store = new MemoryStore();
  const writer = new RecordingWriter(store);
  for (const [name, id] of [
    ["a", A],
    ["b", B],
  ] as const) {
    const data = new Uint8Array(Buffer.from("needle\r\n"));
    const columns = encodeFact({ type: "output", offset: 0, data });
    const place = { terminalId: id, at: 1000, elapsedMs: 0, strict: false };
    writer.write([
      { kind: "terminal", ticket: 0, row: terminalRow(name) },
      { kind: "entry", ticket: 1, ...place, ...columns },
      { kind: "seal", ticket: 2, terminalId: id, at: 2000 },
    ]);
  }
  return store;
}

/** A store in which something of one terminal cannot be read. */
function damaged(store: MemoryStore, method: Reads): StoreReader {
  return new Proxy<StoreReader>(store, {
    get: (_, name) => {
      const value: unknown = Reflect.get(store, name);
      if (typeof value !== "function") return value;
      return (id: TerminalId, ...rest: unknown[]): unknown => {
        if (name === method && id === A) {
          throw Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
        }
        return Reflect.apply(value, store, [id, ...rest]);
      };
    },
  });
}

test.each<Reads>(["readAnchor", "readSeal", "readExtent", "readHead", "readTime"])(
  "R-8: damage that %s meets in one recording is told once, and does not keep others from being indexed",
  async (method) => {
    using shared = new IndexStore(":memory:");
    const told: unknown[] = [];
    const store = damaged(recorded(), method);
    const handleDamage = (error: unknown): void => void told.push(error);
    using indexer = new Indexer({ store, path: ":memory:", shared, handleDamage });
    indexer.changed([A, B]);
    await indexer.caughtUp();
    const progress = new Map(shared.listProgress().map((one) => [one.id, one.through]));
    expect(progress.get(B)).toBe(1);
    const once = { code: "recording_damaged", details: { terminalId: A } };
    // Times are read only of lines whose entries are not at hand.
    const expected = method === "readTime" ? [] : [once];
    await vi.waitFor(() => expect(told).toMatchObject(expected));
  },
);
