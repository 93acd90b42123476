// Makes programs and threads of the sources for tests, which start them by the hundred: from a thousand sources, most of a start is reading them.
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { keepFresh } from "./keep-fresh.ts";

const root = join(import.meta.dirname, "..");

/** Where they are, each at the path of its source. */
export const PROGRAMS = join(root, "node_modules/.cache/nacre-programs");

/** What tests run in processes of their own. */
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

const builtOf = (source: string): string => join(PROGRAMS, source.replace(/\.ts$/, ".js"));

/** Tells modules where they are: at their sources, beside which their files lie, except those that start what was made here. */
export const places = (): Plugin => ({
  name: "nacre-places",
  enforce: "pre",
  transform(code, id) {
    const source = relative(root, id);
    if (!source.startsWith("packages/") || !code.includes("import.meta.url")) return;
    const { href } = pathToFileURL(STARTERS.includes(source) ? builtOf(source) : id);
    return { code: code.replaceAll("import.meta.url", JSON.stringify(href)), map: null };
  },
});

const WHOLE = {
  directory: PROGRAMS,
  sources: [
    "packages/contracts/src",
    "packages/client/src",
    "packages/host/src",
    "packages/cli/src",
    "package-lock.json",
    "scripts/build-programs.ts",
  ],
};

async function make(outDir: string): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    logLevel: "warn",
    root,
    plugins: [places()],
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

/** What the test runner calls before all tests. */
export async function setup(): Promise<void> {
  mkdirSync(dirname(PROGRAMS), { recursive: true });
  await keepFresh(WHOLE, make);
}
