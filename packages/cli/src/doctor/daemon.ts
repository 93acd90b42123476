import { formatBytes } from "@nacre/client/ui";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { quickCaller } from "@nacre/client/quick";
import type { HostInfo } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import { isReady } from "../is-ready.ts";
import { keeperWords } from "../keep-programs.ts";
import { VERSION } from "../version.ts";
import { finding, type Finding, type Library } from "./finding.ts";

/** Does not start a daemon. */
export async function checkDaemon({
  findDaemon,
  findKeeper,
  ownDirectories,
}: Library): Promise<readonly Finding[]> {
  const directories = ownDirectories();
  const { run, state } = directories;
  const space = checkSpace(state);
  const keeper = keeperFinding(findKeeper(directories));
  try {
    const daemon = findDaemon(run);
    if (!daemon)
      return [finding("daemon", "does not run; the first verb starts it"), keeper, space];
    return [...(await daemonFindings(daemon)), keeper, space];
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    const problem = { state: "wrong", advice: error.suggestion } as const;
    return [finding("daemon", error.message, problem), keeper, space];
  }
}

type FoundDaemon = NonNullable<ReturnType<Library["findDaemon"]>>;

async function daemonFindings({
  pid,
  version,
  endpoints,
}: FoundDaemon): Promise<readonly Finding[]> {
  const found = `version ${version}, pid ${pid}`;
  if (!(await isReady(endpoints.socket))) {
    const advice = `End process ${pid}, and let the next verb start another.`;
    return [finding("daemon", `${found}, does not answer`, { state: "wrong", advice })];
  }
  if (version === VERSION) {
    const host = await quickCaller({ socketPath: endpoints.socket })("readHost", {});
    return [finding("daemon", `${found}, answers`), ...port(endpoints.http), ...partFindings(host)];
  }
  const advice = "Run `nacre restart`: programs go on, and the new one takes over.";
  return [finding("daemon", `${found}, but this is ${VERSION}`, { state: "warning", advice })];
}

function port({ port: own, takenPort }: FoundDaemon["endpoints"]["http"]): readonly Finding[] {
  if (takenPort === undefined) return [];
  const advice = `Nothing is missing: \`nacre web\` has the address. To choose one: nacre restart --port N, or NACRE_PORT.`;
  const found = `${own}, since another program has ${takenPort}`;
  return [finding("port", found, { state: "warning", advice })];
}

function keeperFinding(keeper: ReturnType<Library["findKeeper"]>): Finding {
  if (!keeper) return finding("keeper", "does not run; the daemon starts it, where it is on");
  const found = keeperWords(keeper);
  const advice =
    "It works with this version. Run `nacre stop` when nothing important runs, to have the new one.";
  return finding(
    "keeper",
    found,
    keeper.version === VERSION ? undefined : { state: "warning", advice },
  );
}

/** With less, recordings wait or get gaps. */
const LITTLE_SPACE_BYTES = 1024 ** 3;

function checkSpace(directory: string): Finding {
  const { bavail, bsize } = statfsSync(firstThatExists(directory));
  const free = bavail * bsize;
  const advice = "Free some, or set retentionMaxTotalBytes; `nacre prune` removes old recordings.";
  return finding(
    "disk space",
    `${formatBytes(free)} free at ${directory}`,
    free >= LITTLE_SPACE_BYTES ? undefined : { state: "warning", advice },
  );
}

function firstThatExists(directory: string): string {
  try {
    statfsSync(directory);
    return directory;
  } catch {
    // Does not exist yet: it will be created on its parent's disk.
    return firstThatExists(dirname(directory));
  }
}

export function partFindings(host: HostInfo): readonly Finding[] {
  return [recordings(host), ...keeper(host), ...damage(host), ...restarts(host)];
}

function recordings({ storage }: HostInfo): Finding {
  const { state, reason = "", since = "", suggestion = "" } = storage;
  if (state === "ok") return finding("recordings", "are written as they should");
  const isLow = state === "low";
  const found = isLow
    ? `are written, but ${reason}`
    : `cannot be written since ${since}: ${reason}`;
  return finding("recordings", found, { state: isLow ? "warning" : "wrong", advice: suggestion });
}

function keeper({ keeper: found }: HostInfo): readonly Finding[] {
  if (found === undefined) return [];
  const { state, pid } = found;
  if (state === "ok") return [finding("keeper", `pid ${pid}, answers`)];
  if (state === "lost") {
    const advice = "The next program starts another; look at keeper.log for why it ended.";
    return [finding("keeper", "has ended, and so have its programs", { state: "warning", advice })];
  }
  const advice = `Let it go on with: kill -CONT ${pid}`;
  return [finding("keeper", `pid ${pid}, does not answer`, { state: "wrong", advice })];
}

function damage({ damagedRecordings: count = 0 }: HostInfo): readonly Finding[] {
  if (count === 0) return [];
  const advice = "Run `nacre verify --all`, and export what is good of each that it names.";
  return [finding("damage", `in ${count} recordings`, { state: "warning", advice })];
}

function restarts({ restarts: counts = {} }: HostInfo): readonly Finding[] {
  const told = Object.entries(counts).map(([part, count]) => `${part} ${count} times`);
  if (told.length === 0) return [];
  const advice = "Nothing is missing; daemon.log has the reason, which is worth a report.";
  return [finding("restarts", told.join(", "), { state: "warning", advice })];
}
