// How long a person waits for the page, and how much it brings: from the address to a list that can be used, each time in a new profile.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startBrowser } from "../test/support/browser.ts";
import { ownDaemon } from "../test/support/own-daemon.ts";

const ROUNDS = 12;
const TARGET_MS = 1000;
const TARGET_BYTES = 350 * 1024;

const PAGE = join(import.meta.dirname, "../packages/host/page");

/** Runs all measurements and prints them with their targets. */
export async function benchPage(): Promise<void> {
  const files = readdirSync(PAGE).filter((name) => !name.startsWith("."));
  const bytes = files.map((name) => gzipSync(readFileSync(join(PAGE, name))).length);
  const total = bytes.reduce((sum, one) => sum + one, 0);
  console.log(
    `page: ${(total / 1024).toFixed(0)} KiB gzipped in ${files.length} files (target ${TARGET_BYTES / 1024} KiB)`,
  );
  await using own = await ownDaemon();
  const browser = await startBrowser();
  try {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const from = performance.now();
      await page.goto(`${own.url}#token=${own.token}`);
      await page.getByRole("heading", { name: "No terminals" }).waitFor();
      times.push(performance.now() - from);
      await context.close();
    }
    const sorted = times.toSorted((one, other) => one - other);
    const [p50, worst] = [sorted[Math.floor(ROUNDS / 2)] ?? 0, sorted.at(-1) ?? 0];
    console.log(
      `page interactive: p50 ${p50.toFixed(0)} ms, worst of ${ROUNDS} ${worst.toFixed(0)} ms (target ${TARGET_MS} ms)`,
    );
  } finally {
    await browser.close();
  }
}
