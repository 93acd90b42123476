import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The directories of one daemon; the state directory identifies it. */
export interface Directories {
  /** `NACRE_HOME`, else the state directory. */
  readonly home: string;
  /** Persistent: recordings, tokens, log and lock. */
  readonly state: string;
  /** Unix socket and discovery file; valid only while the daemon runs. */
  readonly run: string;
  /** Default place of the config file. */
  readonly config: string;
}

export const socketPathOf = ({ run }: Directories): string => join(run, "nacre.sock");

/** Variables by which child programs find this daemon: its socket, and `NACRE_HOME` where it is set. */
export function addressVariables(directories: Directories): Readonly<Record<string, string>> {
  const { home, config } = directories;
  const isNamed = home === config;
  return {
    NACRE_SOCKET: socketPathOf(directories),
    ...(isNamed ? { NACRE_HOME: home } : {}),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

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

export const ownDirectories = (): Directories => findDirectories(process.env, homedir());

/** Ignores relative paths, as the XDG Base Directory Specification demands. */
function absoluteBase(path: string | undefined): string | undefined {
  return path?.startsWith("/") ? path : undefined;
}
