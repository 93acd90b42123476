// A recording over a store with injectable faults.
import { terminalRow } from "../../testing/terminal-row.ts";
import { decodeEntry } from "../recorded-entry.ts";
import { RecorderClient } from "../recorder-client.ts";
import { serveRecorder } from "../recorder.ts";
import { Recording } from "../recording.ts";
import { startInline } from "../../base/worker.ts";
import { DiskError, type Faults, FaultyStore } from "./recorder-rig.ts";

export interface FaultyRecording extends AsyncDisposable {
  readonly recording: Recording;
  readonly faults: Faults;
}

export async function openFaultyRecording(): Promise<FaultyRecording> {
  const faults: Faults = { beforeCommit: false, afterCommit: false, open: false };
  const store = new FaultyStore(faults);
  const open = (): FaultyStore => {
    if (faults.open) throw new DiskError(14);
    return store;
  };
  const recorder = await RecorderClient.open(
    () => startInline((port) => serveRecorder(port, { open, freeBytes: () => 1e9 })),
    { handleState: () => undefined, handleGap: () => undefined },
  );
  const row = terminalRow("faulty");
  await recorder.write({ kind: "terminal", row });
  const recording = new Recording(row.id, {
    recorder,
    elapsedMs: 0,
    changed: () => undefined,
    read: (query) => Promise.resolve(store.readEntries(query).map(decodeEntry)),
  });
  return { recording, faults, [Symbol.asyncDispose]: () => recorder[Symbol.asyncDispose]() };
}
