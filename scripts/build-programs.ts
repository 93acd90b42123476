// Makes programs and threads of the sources: from a thousand sources, most of a start is reading them.
import {
  globSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { keepFresh, STAMP_FILE, stampOf } from "./keep-fresh.ts";

const root = join(import.meta.dirname, "..");

/** A directory for each state of the sources: a daemon that runs may still need files of the one it was started from. */
const PLACE = join(root, "node_modules/.cache/nacre-programs");

/** What leads to the newest, where each program is at the path of its source. */
export const PROGRAMS = join(PLACE, "current");

/** What runs in processes of its own. */
const MAINS = ["packages/cli/src/main.ts", "packages/host/src/index.ts"];

/** The files that start something by its place beside them. */
const STARTERS: readonly string[] = [
  "packages/host/src/keeper/start-keeper.ts",
  "packages/host/src/recording/thread.ts",
  "packages/host/src/screen/screen-thread.ts",
  "packages/host/src/transports/http/reference.ts",
];

/** What they start. */
const STARTED = [
  "packages/host/src/keeper/main.ts",
  ...globSync("packages/host/src/**/*.worker.ts", { cwd: root, exclude: ["**/testing/**"] }),
];

/** What Node resolves sources of the packages by. */
export const CONDITIONS = ["nacre-source", "node", "import", "module", "default"];

/** Tells modules where they are: at their sources, beside which their files lie, except those that start programs. */
export const places = (programs: string): Plugin => ({
  name: "nacre-places",
  enforce: "pre",
  transform(code, id) {
    const source = relative(root, id);
    if (!source.startsWith("packages/") || !code.includes("import.meta.url")) return;
    const { href } = pathToFileURL(
      STARTERS.includes(source) ? join(programs, source.replace(/\.ts$/, ".js")) : id,
    );
    return { code: code.replaceAll("import.meta.url", JSON.stringify(href)), map: null };
  },
});

const SOURCES = [
  "packages/contracts/src",
  "packages/client/src",
  "packages/host/src",
  "packages/cli/src",
  "package-lock.json",
  "scripts/build-programs.ts",
];

async function make(outDir: string, place: string): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    logLevel: "warn",
    root,
    plugins: [places(place)],
    resolve: { conditions: CONDITIONS },
    ssr: {
      noExternal: true,
      // They load machine code that lies beside them.
      external: ["koffi", "@lydell/node-pty"],
      target: "node",
      resolve: { conditions: CONDITIONS },
    },
    build: {
      ssr: true,
      outDir,
      target: "esnext",
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(
          [...MAINS, ...STARTED].map((source) => [source.replace(/\.ts$/, ""), join(root, source)]),
        ),
        // Names that last, so that what Node has made of them can be found again.
        output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" },
      },
    },
  });
  writeFileSync(join(outDir, "package.json"), JSON.stringify({ type: "module" }));
}

const NAME_LENGTH = 16;
const NAME = new RegExp(`^[0-9a-f]{${NAME_LENGTH}}$`);

/** Makes them unless they are there and fresh; several may ask at once. */
async function buildPrograms(): Promise<void> {
  const now = new Date();
  mkdirSync(PLACE, { recursive: true });
  const name = stampOf(SOURCES).slice(0, NAME_LENGTH);
  const directory = join(PLACE, name);
  await keepFresh({ name: "programs", directory, sources: SOURCES }, (empty) =>
    make(empty, directory),
  );
  // `bin/nacre` looks for sources that are newer.
  utimesSync(join(directory, STAMP_FILE), now, now);
  const before = newestName();
  if (before === name) return;
  const link = `${PROGRAMS}-${process.pid}`;
  symlinkSync(name, link);
  renameSync(link, PROGRAMS);
  for (const old of readdirSync(PLACE).filter((one) => NAME.test(one))) {
    if (old !== name && old !== before) rmSync(join(PLACE, old), { recursive: true, force: true });
  }
}

function newestName(): string | undefined {
  try {
    return readlinkSync(PROGRAMS);
  } catch {
    return undefined; // There is none yet.
  }
}

/** What the test runner calls before all tests. */
export const setup = buildPrograms;

if (import.meta.main) await buildPrograms();
