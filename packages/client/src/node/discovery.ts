import { constants } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
// No schemas: programs that only look for the host start sooner.
import { NacreError } from "@nacre/contracts/error";

export interface DiscoveredHost {
  readonly socketPath: string;
  readonly url: string;
  readonly token: string;
  /** Empty where the file does not say. */
  readonly version: string;
}

/** A larger file is not a host's. */
const MAX_FILE_BYTES = 64 * 1024;

const FOR_OTHERS = 0o077;

export interface DiscoveryOptions {
  /** Default: NACRE_HOME of this process. */
  readonly home?: string | undefined;
}

/** Throws `unavailable` when none runs, and `forbidden` when others could have written the file. */
export async function discoverHost({ home }: DiscoveryOptions = {}): Promise<DiscoveredHost> {
  const path = join(runDirectoryOf(home), "daemon.json");
  const { pid, startTime, ...found } = await readDiscovery(path);
  if (!(await isRunning(pid, startTime))) {
    throw notRunning(`the host with process ${pid} that ${path} names has ended`);
  }
  return found;
}

export function runDirectoryOf(home = process.env["NACRE_HOME"]): string {
  if (home) return join(resolve(home), "run");
  const runtime = baseOf("XDG_RUNTIME_DIR");
  if (runtime !== undefined) return join(runtime, "nacre");
  return join(baseOf("XDG_STATE_HOME") ?? join(homedir(), ".local/state"), "nacre/run");
}

/** Ignores relative paths, as the XDG Base Directory Specification demands. */
function baseOf(name: string): string | undefined {
  const path = process.env[name];
  return path?.startsWith("/") ? path : undefined;
}

/** Unknown fields are ignored. */
interface DiscoveryFile extends DiscoveredHost {
  readonly pid: number;
  readonly startTime: number | null;
}

function parseFile(text: string): DiscoveryFile {
  const file = objectOf(JSON.parse(text));
  const { schemaVersion, pid, startTime, token, version } = file;
  const { socket, http } = objectOf(file["endpoints"]);
  const { url } = objectOf(http);
  const isKnown =
    schemaVersion === 1 &&
    isCount(pid) &&
    pid > 0 &&
    (startTime === null || isCount(startTime)) &&
    typeof socket === "string" &&
    typeof url === "string" &&
    URL.canParse(url) &&
    typeof token === "string" &&
    token !== "";
  if (!isKnown) throw new TypeError("not a file of a host");
  const said = typeof version === "string" ? version : "";
  return { pid, startTime, socketPath: socket, url, token, version: said };
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null) return { ...value };
  throw new TypeError("not an object");
}

async function readDiscovery(path: string): Promise<DiscoveryFile> {
  await using file = await openPlain(path);
  const stats = await file.stat();
  const isPrivate =
    stats.isFile() && stats.uid === process.getuid?.() && (stats.mode & FOR_OTHERS) === 0;
  if (!isPrivate || stats.size > MAX_FILE_BYTES) throw untrusted(path);
  try {
    return parseFile(await file.readFile("utf8"));
  } catch {
    // The reason would quote the file, which contains the token.
    throw untrusted(path);
  }
}

async function openPlain(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) throw notRunning(`there is no ${path}`);
    throw untrusted(path, error);
  }
}

/** The very process, not another one with its pid. */
async function isRunning(pid: number, startTime: number | null): Promise<boolean> {
  if (startTime !== null) return (await startTimeOf(pid)) === startTime;
  try {
    return process.kill(pid, 0);
  } catch {
    // No such process, or another user's.
    return false;
  }
}

/** Field 22 of /proc/<pid>/stat; field 2 may contain anything, but ends at the last bracket. */
async function startTimeOf(pid: number): Promise<number | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : Number(fields[19]);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ENOENT" || error.code === "ESRCH" || error.code === "ENOTDIR");

const notRunning = (why: string): NacreError =>
  new NacreError("unavailable", `no host runs: ${why}`, {
    suggestion: "Start one with `nacre serve`.",
  });

function untrusted(path: string, cause?: unknown): NacreError {
  return new NacreError("forbidden", `${path} was not written by a host of yours`, {
    ...(cause === undefined ? {} : { cause }),
    suggestion: "Remove it, and start the host again.",
  });
}
