// Makes programs and threads of the sources: from a thousand sources, most of a start is reading them.
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { isMadeFrom, lock, replace, STAMP_FILE, stampOf } from "./keep-fresh.ts";

const root = join(import.meta.dirname, "..");

/** A directory for each state of the sources: a daemon that runs may still need files of the one it was started from. */
const PLACE = join(root, "node_modules/.cache/nacre-programs");

/** What leads to the newest, where each program is at the path of its source. */
export const PROGRAMS = join(PLACE, "current");

/** What runs in processes of its own. */
const MAINS = ["packages/cli/src/main.ts", "packages/host/src/index.ts"];

/** The files that start something by its place beside them. */
const STARTERS: readonly string[] = [
  "packages/host/src/base/worker.ts",
  "packages/host/src/keeper/start-keeper.ts",
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

/** A directory of programs, or what is left of somebody who was ended while making it. */
const NAME = new RegExp(`^[0-9a-f]{${NAME_LENGTH}}(?:-|$)`);

/** Somebody may be about to start from a directory that no process names yet. */
const KEPT_MS = 60 * 60 * 1000;

/** Makes them unless they are there and fresh; several may ask at once. */
async function buildPrograms(): Promise<void> {
  mkdirSync(PLACE, { recursive: true });
  if (isFresh()) return;
  using _lock = await lock("programs");
  // Who changes a source meanwhile gets what is made of the changed one.
  while (!isFresh()) {
    const stamp = stampOf(SOURCES);
    const directory = placeOf(stamp);
    if (!isMadeFrom(directory, stamp)) {
      await replace(directory, stamp, (empty) => make(empty, directory));
      if (stampOf(SOURCES) !== stamp) {
        rmSync(directory, { recursive: true });
        continue;
      }
    }
    leadTo(directory);
  }
  removeUnused();
}

const placeOf = (stamp: string): string => join(PLACE, stamp.slice(0, NAME_LENGTH));

/** Whether the newest are made from the sources as they are now; if so, `bin/nacre` finds no source that is newer. */
function isFresh(): boolean {
  const now = new Date();
  const stamp = stampOf(SOURCES);
  const directory = placeOf(stamp);
  if (newestName() !== basename(directory) || !isMadeFrom(directory, stamp)) return false;
  try {
    utimesSync(join(directory, STAMP_FILE), now, now);
  } catch {
    // It is another user's: then each start has to look this closely.
  }
  return true;
}

function newestName(): string | undefined {
  try {
    return readlinkSync(PROGRAMS);
  } catch {
    return undefined; // There is none yet.
  }
}

function leadTo(directory: string): void {
  const link = `${PROGRAMS}-${process.pid}`;
  rmSync(link, { force: true });
  symlinkSync(basename(directory), link);
  renameSync(link, PROGRAMS);
}

/** Removes what no process was started from, as far as one can tell. */
function removeUnused(): void {
  if (process.platform !== "linux") return;
  const newest = newestName();
  const commandLines = readdirSync("/proc").map((pid) => readIfThere(`/proc/${pid}/cmdline`));
  for (const name of readdirSync(PLACE).filter((one) => NAME.test(one) && one !== newest)) {
    const path = join(PLACE, name);
    if (Date.now() - statSync(path).mtimeMs < KEPT_MS) continue;
    if (commandLines.some((line) => line.includes(path))) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // It is another user's, who will remove it.
    }
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // It is no process, or has ended.
  }
}

/** What the test runner calls before all tests. */
export const setup = buildPrograms;

if (import.meta.main) await buildPrograms();
