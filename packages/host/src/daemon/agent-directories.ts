import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Caller, CallerId } from "@nacre/contracts";
import type { Config } from "../config/config.ts";
import type { Directories } from "../config/directories.ts";
import type { Operations } from "../operations/dispatch.ts";
import { serveControlDirectory } from "../transports/files/serve-control-directory.ts";

const OWNER_ONLY = 0o700;

/** What the directories of agents are served with. */
export interface AgentDirectoriesParts {
  readonly config: Config;
  readonly directories: Directories;
  readonly operations: Operations;
  readonly handleProblem: (error: unknown) => void;
}

/** Serves the control directory of each agent that the settings name. */
export async function serveAgentDirectories({
  config,
  directories,
  operations,
  handleProblem,
}: AgentDirectoriesParts): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const root = resolve(config.agentDirectoryRoot ?? join(directories.state, "agents"));
  for (const name of config.agentDirectories) {
    mkdirSync(join(root, name), { recursive: true, mode: OWNER_ONLY });
    const directory = join(root, name, "terminal");
    const caller = agentNamed(name, config.allowedRoots);
    stack.use(await serveControlDirectory({ directory, caller, operations, handleProblem }));
  }
  return stack.move();
}

/** An agent sees the same terminals by its files as by a token of its name. */
function agentNamed(name: string, roots: readonly string[]): Caller {
  return {
    id: CallerId.parse(name),
    scope: "agent",
    owner: { entityName: "Agent", entityId: name },
    ...(roots.length === 0 ? {} : { roots }),
  };
}
