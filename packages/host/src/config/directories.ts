import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where one daemon keeps what it has; two with the same state directory are the same daemon. */
export interface Directories {
  /** What a person names it by: `NACRE_HOME`, else the state directory. */
  readonly home: string;
  /** Recordings, tokens, the log and the lock: lasts. */
  readonly state: string;
  /** The unix socket and the discovery file: only means something while the daemon runs. */
  readonly run: string;
  /** Where the config file is looked for when nobody names one. */
  readonly config: string;
}

/** The unix socket of the daemon with these directories. */
export const socketPathOf = ({ run }: Directories): string => join(run, "nacre.sock");

/** Variables by which programs find the daemon with these directories: its socket, and where it has a home of its own what names it for the CLI. */
export function addressVariables(directories: Directories): Readonly<Record<string, string>> {
  const { home, config } = directories;
  const isNamed = home === config;
  return {
    NACRE_SOCKET: socketPathOf(directories),
    ...(isNamed ? { NACRE_HOME: home } : {}),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds the directories of the daemon that this environment means. */
export function findDirectories(env: Environment, userHome: string): Directories {
  const named = env["NACRE_HOME"];
  if (named) {
    const home = resolve(named);
    return { home, state: home, run: join(home, "run"), config: home };
  }
  const state = join(
    absoluteBase(env["XDG_STATE_HOME"]) ?? join(userHome, ".local/state"),
    "nacre",
  );
  const runtime = absoluteBase(env["XDG_RUNTIME_DIR"]);
  return {
    home: state,
    state,
    run: runtime === undefined ? join(state, "run") : join(runtime, "nacre"),
    config: join(absoluteBase(env["XDG_CONFIG_HOME"]) ?? join(userHome, ".config"), "nacre"),
  };
}

/** The directories of the daemon that the environment of this process means. */
export const ownDirectories = (): Directories => findDirectories(process.env, homedir());

/** A relative base directory does not count, as their specification says. */
function absoluteBase(path: string | undefined): string | undefined {
  return path?.startsWith("/") ? path : undefined;
}
