// Builds the page that the daemon serves, where what it is made of has changed since.
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const page = join(root, "packages/host/page");
const stampPath = join(page, ".made-from");

/** Everything that the page is made of. */
const SOURCES = [
  "packages/web/src",
  "packages/web/public",
  "packages/web/index.html",
  "packages/client/src",
  "packages/contracts/src",
  "package-lock.json",
  "scripts/build-page.ts",
];

function filesOf(path: string): readonly string[] {
  const absolute = join(root, path);
  if (!/\/(src|public)$/.test(path)) return [absolute];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((one, other) => (one < other ? -1 : 1));
}

function stampOfSources(): string {
  const hash = createHash("sha256");
  for (const file of SOURCES.flatMap(filesOf)) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

/** Builds the page unless it is there and fresh; several may ask at once. */
async function buildPage(): Promise<void> {
  const stamp = stampOfSources();
  if (existsSync(stampPath) && readFileSync(stampPath, "utf8") === stamp) return;
  const { build } = await import("vite");
  const made = mkdtempSync(`${page}-`);
  try {
    await build({
      root: join(root, "packages/web"),
      configFile: false,
      logLevel: "warn",
      // What the daemon serves is what people look at: one script, one style, and what is loaded when needed.
      build: {
        outDir: made,
        emptyOutDir: true,
        target: "es2024",
        modulePreload: false,
        assetsInlineLimit: 0,
        rolldownOptions: {
          output: {
            entryFileNames: "app.js",
            chunkFileNames: "[name].js",
            assetFileNames: "app[extname]",
          },
        },
      },
      resolve: { conditions: ["nacre-source", "module", "browser", "production", "default"] },
      oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    });
    writeFileSync(join(made, ".made-from"), stamp);
    chmodSync(made, 0o755);
    rmSync(page, { recursive: true, force: true });
    renameSync(made, page);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** What the test runner calls before all tests. */
export const setup = buildPage;

if (import.meta.main) await buildPage();
