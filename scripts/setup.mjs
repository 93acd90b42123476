// Makes a checkout ready and then hands over. Runs before anything is installed, so it must run on Node 20.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled } from "./installed.mjs";
import { missingPrograms } from "./programs.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampPath = join(root, "node_modules/.nacre-installed");
/** What npm writes down of an installation. */
const installedPath = join(root, "node_modules/.package-lock.json");
const bundledNode = join(root, "node_modules/.bin/node");
const NEEDED_NODE_MAJOR = 24;
const FROM_SOURCE = "--conditions=nacre-source";

/** What `scripts/build-programs.ts` makes of the sources: what leads to it, and the directory itself, which stays while a process names it. */
const newestPrograms = join(root, "node_modules/.cache/nacre-programs/current");
const inPrograms = (path) => join(realpathSync(newestPrograms), path);

/** As in bin/nacre, which says why. */
const HEAP_OPTIONS = ["--max-semi-space-size=4"];

/** Each command: whether it installs the programs that tests use, and what Node 24 then runs. */
const COMMANDS = {
  prepare: { run: [] },
  "setup-test": { programs: true, run: [] },
  start: {
    lasts: true,
    run: () => [[...HEAP_OPTIONS, inPrograms("packages/cli/src/main.js"), "serve"]],
  },
  test: { run: [[FROM_SOURCE, "scripts/check.ts", "unit"]] },
  "test-all": { run: [[FROM_SOURCE, "scripts/check.ts", "all"]] },
  bench: { run: [[FROM_SOURCE, "bench/main.ts"]] },
  "test-pty": { run: [["--expose-gc", FROM_SOURCE, "test/pty/main.ts"]] },
  "test-crash": { run: [[FROM_SOURCE, "test/crash/main.ts"]] },
  "test-recording": { run: [[FROM_SOURCE, "test/recording/main.ts"]] },
  "test-screen": { run: [[FROM_SOURCE, "test/screen/main.ts"]] },
  "test-shell": { run: [[FROM_SOURCE, "test/shell/main.ts"]] },
  "test-daemon": { run: [[FROM_SOURCE, "test/daemon/main.ts"]] },
  "test-ahp": { run: [[FROM_SOURCE, "test/ahp/main.ts"]] },
  "test-files": { run: [[FROM_SOURCE, "test/files/main.ts"]] },
  "test-reliability": { run: [[FROM_SOURCE, "test/reliability/main.ts"]] },
  "test-simulation": { run: [[FROM_SOURCE, "test/simulation/main.ts"]] },
  generate: { run: [[FROM_SOURCE, "scripts/generate.ts"]] },
  pictures: { run: [[FROM_SOURCE, "scripts/take-pictures.ts"]] },
};

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs what lasts until it is told to end: a signal to this process is for it, and its end is the end. */
function become(command, args, options) {
  const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
  // A window that closes and Ctrl-C signal both; whoever signals only this process means the other.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    throw error;
  });
  child.on("exit", (status) => process.exit(status ?? 1));
}

function install() {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  const stamp = createHash("sha256").update(lock).digest("hex");
  if (existsSync(stampPath) && readFileSync(stampPath, "utf8") === stamp) return;
  // Whoever ran `npm ci` need not wait for another.
  const isDone =
    existsSync(installedPath) &&
    isInstalled(JSON.parse(lock), JSON.parse(readFileSync(installedPath, "utf8")));
  if (!isDone) {
    console.error("nacre: installing packages (npm ci)");
    run("npm", ["ci", "--loglevel=error", "--no-progress"], { stdio: ["ignore", 2, 2] });
  }
  writeFileSync(stampPath, stamp);
}

/** `npm run setup:test`: the only step that touches the system, so that no test ever does. */
function installPrograms() {
  const missing = missingPrograms();
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    const names = missing.map(({ program }) => program).join(", ");
    console.error(`nacre: cannot install ${names}: needs root and apt-get. Install them yourself.`);
    process.exit(1);
  }
  const options = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  const packages = missing.map(({ debianPackage }) => debianPackage);
  console.error(`nacre: installing ${packages.join(", ")} (apt-get)`);
  run("apt-get", ["update", "-qq"], options);
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], options);
}

function findNode() {
  // CI tests newer releases by calling them; everybody else's Node may be older than the one that came with the packages.
  if (Number(process.versions.node.split(".")[0]) >= NEEDED_NODE_MAJOR) return process.execPath;
  if (existsSync(bundledNode)) return bundledNode;
  console.error(
    `nacre: needs Node ${NEEDED_NODE_MAJOR}; there is none for this platform in the packages, and this is ${process.version}. Install Node ${NEEDED_NODE_MAJOR} and try again.`,
  );
  process.exit(1);
}

const [name = "prepare", ...rest] = process.argv.slice(2);
const command = COMMANDS[name];
if (!command) {
  console.error(`nacre: unknown command ${name}; one of ${Object.keys(COMMANDS).join(", ")}`);
  process.exit(2);
}
install();
if (command.programs) installPrograms();
const node = findNode();
const tools = {
  // As in bin/nacre, which says why.
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/nacre-compile"),
  ...process.env,
  PATH: [dirname(node), join(root, "node_modules/.bin"), process.env.PATH].join(":"),
};
for (const script of ["build-page", "build-programs"]) {
  run(node, [`scripts/${script}.ts`], { env: tools });
}
// What tests and benchmarks start is what people start.
const env = command.lasts ? tools : { ...tools, BUILT_PROGRAMS: inPrograms("") };
const start = command.lasts ? become : run;
const runs = typeof command.run === "function" ? command.run() : command.run;
for (const args of runs) start(node, [...args, ...rest], { env });
