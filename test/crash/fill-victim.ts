// Fills a store with entries and ends without closing it: `fill-victim <directory> <entries>`.
import { Recordings } from "../../packages/host/src/recording/recordings.ts";
import { momentOf, terminalOf } from "../support/numbered-entries.ts";

/** So many entries are on their way at once. */
const IN_FLIGHT = 4096;

const [directory = "", entries = "1"] = process.argv.slice(2);

const recordings = await Recordings.open({ directory, floorBytes: 0 });
const recording = await recordings.create(terminalOf("filled"));
for (let first = 1; first <= Number(entries); first += IN_FLIGHT) {
  const count = Math.min(IN_FLIGHT, Number(entries) - first + 1);
  await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const sequence = first + index;
      const data = new Uint8Array(Buffer.from(`line ${sequence} of a build that takes long\r\n`));
      const fact = { type: "output", offset: sequence, data } as const;
      return recording.appendAt(fact, momentOf(sequence));
    }),
  );
}
await recordings.whenIndexed();
process.kill(process.pid, "SIGKILL");
