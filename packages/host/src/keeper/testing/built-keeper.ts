// The keeper as it is installed: in tests it runs from its sources, and what reads those costs memory of its own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const ROOT = resolve(import.meta.dirname, "../../../../..");
const PLAIN = join(ROOT, "packages/contracts/src/plain.ts");
const IMPORT = /(?<=(?:from|import) ")([^"]+)(?=")/g;

/** Every file that the keeper loads, without types. */
export class BuiltKeeper implements Disposable {
  /** Packages that it needs, beside what Node has. */
  readonly packages = new Set<string>();
  readonly main: URL;
  readonly #directory: string;
  readonly #built = new Map<string, string>();

  constructor() {
    const cache = join(ROOT, "node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    this.#directory = mkdtempSync(join(cache, "keeper-"));
    this.main = pathToFileURL(this.#build(MAIN));
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #build(path: string): string {
    const known = this.#built.get(path);
    if (known) return known;
    const name = `${basename(dirname(path))}-${basename(path, ".ts")}.mjs`;
    const built = join(this.#directory, name);
    this.#built.set(path, built);
    const code = stripTypeScriptTypes(readFileSync(path, "utf8"));
    writeFileSync(
      built,
      code.replaceAll(IMPORT, (specifier) => this.#follow(path, specifier)),
    );
    return built;
  }

  #follow(from: string, specifier: string): string {
    if (specifier.startsWith("node:")) return specifier;
    if (specifier === "@nacre/contracts/plain") return this.#build(PLAIN);
    if (specifier.startsWith(".")) return this.#build(resolve(dirname(from), specifier));
    this.packages.add(specifier);
    return specifier;
  }
}
