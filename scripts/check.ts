// `npm test` (checks, units, contracts, one story over every wire) and, with `all`, `npm run test:all` (every test there is).
// The last line counts passes and failures.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const report = join(root, "node_modules/.cache/vitest.json");
const node = process.execPath;

/** Tests start hundreds of processes and threads from sources; what Node makes of these is kept for the next. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, "node_modules/.cache/nacre-compile") };

/** A step is a command that prints what is wrong and fails. */
type Step = readonly [name: string, command: readonly string[]];

const BUILD: Step = ["types and build", [node, "node_modules/typescript/bin/tsc", "-b"]];

/** What needs the build, and nothing of each other. */
const CHECKS: readonly Step[] = [
  ["format", ["oxfmt", "--check"]],
  ["lint", ["oxlint", "--type-aware", "--deny-warnings"]],
  ["dead code", ["knip", "--treat-config-hints-as-errors"]],
  ...["contracts", "client", "host", "cli"].map(
    (name) => [`${name} can be installed`, ["publint", "--strict", `packages/${name}`]] as const,
  ),
  ["generated files fresh", [node, "--conditions=nacre-source", "scripts/generate.ts", "--check"]],
];

/** Does a step, and says how it went when it is over, with everything that it printed. */
async function check([name, [command = "", ...args]]: Step): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes: Buffer) => printed.push(bytes));
  }
  const isGood = await new Promise<boolean>((resolve) => {
    child.on("error", (error) => {
      printed.push(Buffer.from(`${error.message}\n`));
      resolve(false);
    });
    child.on("close", (code) => resolve(code === 0));
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(Buffer.concat(printed));
  console.log(`${isGood ? "✓" : "✗"} ${name} (${seconds} s)`);
  return isGood;
}

function run([command = "", ...args]: readonly string[]): boolean {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  if (error) console.error(error.message);
  return status === 0;
}

function readCount(counts: Record<string, unknown>, name: string): number {
  const count = counts[name];
  return typeof count === "number" ? count : 0;
}

let passed = 0;
let failed = 0;
let skipped = 0;
const isBuilt = await check(BUILD);
const results = [isBuilt, ...(await Promise.all(CHECKS.map((one) => check(one))))];
passed += results.filter(Boolean).length;
failed += results.length - passed;

mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
rmSync(report, { force: true });
const [scope, ...filters] = process.argv.slice(2);
const projects = scope === "all" ? [] : ["--project=unit", "--project=unit-isolated"];
const testsPassed = run([
  "vitest",
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
  ...projects,
  ...filters,
]);
try {
  const counts: unknown = JSON.parse(readFileSync(report, "utf8"));
  if (typeof counts !== "object" || counts === null) throw new Error("not an object");
  const facts = { ...counts };
  passed += readCount(facts, "numPassedTests");
  failed += readCount(facts, "numFailedTests");
  skipped = readCount(facts, "numPendingTests") + readCount(facts, "numTodoTests");
} catch (error) {
  console.error(`the test run left no report: ${String(error)}`);
}
// A run can fail without a failed test, by an error outside all of them.
if (!testsPassed && failed === 0) failed++;
if (skipped > 0)
  console.log(`${skipped} skipped, each with its reason (npx vitest run --reporter=verbose)`);
console.log(`tests, and ${results.length} checks before them:`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
