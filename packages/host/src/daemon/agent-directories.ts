import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Caller, CallerId, type ErrorCode, NacreError } from "@nacre/contracts";
import type { Config } from "../config/config.ts";
import type { Directories } from "../config/directories.ts";
import type { Operations } from "../operations/operations.ts";
import { choosePtyDriver } from "../pty/choose-pty-driver.ts";
import { defaultLaunchPolicy, prepareLaunch } from "../pty/launch.ts";
import type { PtyDriver } from "../pty/pty.ts";
import { serveControlDirectory } from "../transports/files/serve-control-directory.ts";

const OWNER_ONLY = 0o700;

/** These mean that the machine has no terminals at all. */
const MISSING: ReadonlySet<ErrorCode> = new Set(["pty_unavailable", "unsupported"]);

export interface AgentDirectoriesDeps {
  readonly config: Config;
  readonly directories: Directories;
  readonly operations: Operations;
  readonly handleProblem: (error: unknown) => void;
  /** Default: this machine's driver. */
  readonly driver?: PtyDriver | undefined;
}

/** The control directory of each configured agent. */
export async function serveAgentDirectories({
  config,
  directories,
  operations,
  handleProblem,
  driver,
}: AgentDirectoriesDeps): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  if (config.agentDirectories.length === 0) return stack.move();
  const hasTerminals = await canOpenTerminals(driver);
  const root = resolve(config.agentDirectoryRoot ?? join(directories.state, "agents"));
  for (const name of config.agentDirectories) {
    mkdirSync(join(root, name), { recursive: true, mode: OWNER_ONLY });
    const directory = join(root, name, "terminal");
    const caller = createAgentCaller(name, config.allowedRoots);
    const options = { directory, caller, operations, handleProblem, hasTerminals };
    stack.use(await serveControlDirectory(options));
  }
  return stack.move();
}

/** Only running a program in a terminal tells. */
async function canOpenTerminals(given?: PtyDriver): Promise<boolean> {
  try {
    const driver = given ?? (await choosePtyDriver());
    const program = { command: process.execPath, args: ["--version"], cwd: "/" };
    await using _pty = await driver.spawn(await prepareLaunch(program, defaultLaunchPolicy("")));
    return true;
  } catch (error) {
    // Other failures, such as too many terminals for now, are reported by the session that cannot be created.
    return !(error instanceof NacreError && MISSING.has(error.code));
  }
}

/** An agent sees the same terminals by its files as by a token of its name. */
function createAgentCaller(name: string, roots: readonly string[]): Caller {
  return {
    id: CallerId.parse(name),
    scope: "agent",
    owner: { entityName: "Agent", entityId: name },
    ...(roots.length === 0 ? {} : { roots }),
  };
}
