import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "vite";
import { ownDirectory } from "./own-directory.ts";

const ROOT = join(import.meta.dirname, "../..");
const HOST = join(ROOT, "packages/host/src");

/** The threads of the recordings, by their paths in the host: `startWorker` looks for them one folder above. */
const THREADS = [
  "recording/checkpoint.worker",
  "recording/recorder.worker",
  "recording/reader.worker",
  "recording/search/indexer.worker",
  "recording/search/search.worker",
];

const PROGRAMS = "programs";

/** Programs that are ready to be started, again and again. */
export interface Bundle extends Disposable {
  /** Where the program is that was made of this source. */
  programOf(source: string): string;
}

/** Makes programs of sources once, because starting one from its source takes three times as long. */
export async function bundlePrograms(sources: readonly string[]): Promise<Bundle> {
  const own = ownDirectory();
  const directory = own.path;
  const conditions = ["nacre-source", "node", "import", "module", "default"];
  const nameOf = (source: string): string => basename(source, ".ts");
  await build({
    configFile: false,
    logLevel: "error",
    root: ROOT,
    resolve: { conditions },
    ssr: { noExternal: true, target: "node", resolve: { conditions } },
    build: {
      ssr: true,
      outDir: directory,
      emptyOutDir: false,
      target: "esnext",
      rolldownOptions: {
        input: Object.fromEntries([
          ...THREADS.map((name) => [name, join(HOST, `${name}.ts`)]),
          ...sources.map((source) => [`${PROGRAMS}/${nameOf(source)}`, source]),
        ]),
        output: { entryFileNames: "[name].js", chunkFileNames: `${PROGRAMS}/[name].js` },
      },
    },
  });
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }));
  return {
    programOf: (source) => join(directory, PROGRAMS, `${nameOf(source)}.js`),
    [Symbol.dispose]: () => own[Symbol.dispose](),
  };
}
