import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { RESTORE_SCREEN } from "./terminal-modes.ts";

/**
 * Waits for the end of the pipe that it is told by. When that comes while the terminal is in use, its user was killed
 * and could not clean up. Line modes are only taken back where nobody has changed them since, as a shell may have.
 */
const SCRIPT = `
saved=$(stty -g <&3) || exit
raw=
echo ready
while read -r word; do
  case $word in
    on) raw=$(stty -g <&3); echo on ;;
    off) raw= ;;
    done) exit ;;
  esac
done
[ -n "$raw" ] || exit
printf '%b' "$1" >&3
[ "$(stty -g <&3)" != "$raw" ] || stty "$saved" <&3
`;

/** What the guardian says on the terminal of its user, whose screen it has just restored. */
const NOTE = "nacre was killed; your terminal is as before.\\r\\n";

/** A process that restores a terminal when this one is killed in a way that it cannot notice. */
export class Guardian implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts to guard the terminal behind a file descriptor; nothing where that cannot be. */
  static async start(fd: number): Promise<Guardian | undefined> {
    // In a session of its own no signal for this process, its group or its terminal ends it.
    const child = spawn(
      "/bin/sh",
      ["-c", SCRIPT, "nacre-guardian", shellText(RESTORE_SCREEN) + NOTE],
      {
        detached: true,
        cwd: "/",
        stdio: ["pipe", "pipe", "ignore", fd],
      },
    );
    child.on("error", () => undefined);
    child.stdin?.on("error", () => undefined);
    const guardian = new Guardian(child);
    if (await guardian.#answer()) return guardian;
    return undefined;
  }

  /** The terminal is in use from now on; the modes that it has now are ours. */
  async arm(): Promise<void> {
    this.#tell("on");
    await this.#answer();
  }

  /** The terminal was given back. */
  disarm(): void {
    this.#tell("off");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#tell("done");
    this.#child.stdin?.end();
    await ended;
  }

  #tell(word: string): void {
    this.#child.stdin?.write(`${word}\n`);
  }

  async #answer(): Promise<boolean> {
    const { stdout } = this.#child;
    if (!stdout) return false;
    const ended = once(this.#child, "close").then(() => false);
    const said = once(stdout, "data").then(() => true);
    return Promise.race([said, ended]).catch(() => false);
  }
}

/** A text as `printf %b` reads it. */
const shellText = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("\x1b", "\\033")
    .replaceAll("\r", "\\r")
    .replaceAll("\n", "\\n");
