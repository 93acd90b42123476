// Builds the page that the daemon serves, where what it is made of has changed since.
import { join } from "node:path";
import { keepFresh } from "./keep-fresh.ts";

const root = join(import.meta.dirname, "..");

const PAGE = {
  name: "page",
  directory: join(root, "packages/host/page"),
  sources: [
    "packages/web/src",
    "packages/web/public",
    "packages/web/index.html",
    "packages/client/src",
    "packages/contracts/src",
    "package-lock.json",
    "scripts/build-page.ts",
  ],
};

/** Builds the page unless it is there and fresh; several may ask at once. */
const buildPage = (): Promise<void> =>
  keepFresh(PAGE, async (outDir) => {
    const { build } = await import("vite");
    await build({
      root: join(root, "packages/web"),
      configFile: false,
      logLevel: "warn",
      // What the daemon serves is what people look at: one script, one style, and what is loaded when needed.
      build: {
        outDir,
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
  });

/** What the test runner calls before all tests. */
export const setup = buildPage;

if (import.meta.main) await buildPage();
