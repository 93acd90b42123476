import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";

/** The version that is here, as `tmux 3.3a`; what it does differently depends on it. */
export const tmuxVersion = (): string => execFileSync("tmux", ["-V"], { encoding: "utf8" }).trim();

interface Waiting {
  resolve(lines: readonly string[]): void;
  reject(error: Error): void;
}

/** A tmux server of its own, and its control client: commands in, their output back, without a process for each. */
export class TmuxControl implements AsyncDisposable {
  readonly #client: ChildProcessWithoutNullStreams;
  readonly #waiting: Waiting[] = [];
  #rest = "";
  #block: { guard: string; lines: string[] } | undefined;

  /** `environment` must have a TMUX_TMPDIR of its own; the server has no configuration but these arguments. */
  constructor(args: readonly string[], environment: Readonly<Record<string, string>>) {
    // The first block is the answer to what the client was started with.
    this.#waiting.push({ resolve: () => {}, reject: () => {} });
    this.#client = spawn("tmux", ["-u", "-f", "/dev/null", "-L", "nacre-test", "-C", ...args], {
      env: { ...environment },
    });
    this.#client.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.#client.on("exit", () => this.#fail(new Error("tmux has ended")));
  }

  /** Runs one command and gives the lines it prints. */
  run(command: string): Promise<readonly string[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    this.#waiting.push({ resolve, reject });
    this.#client.stdin.write(`${command}\n`);
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#client.exitCode !== null) return;
    const ended = once(this.#client, "exit");
    this.#client.stdin.write("kill-server\n");
    await ended;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#readLine(line);
  }

  /** Outside of blocks there are only notes about what the client was not asked for. */
  #readLine(line: string): void {
    const block = this.#block;
    if (!block) {
      if (line.startsWith("%begin "))
        this.#block = { guard: line.slice("%begin ".length), lines: [] };
    } else if (line === `%end ${block.guard}`) {
      this.#block = undefined;
      this.#waiting.shift()?.resolve(block.lines);
    } else if (line === `%error ${block.guard}`) {
      this.#block = undefined;
      this.#waiting.shift()?.reject(new Error(`tmux: ${block.lines.join(" ")}`));
    } else block.lines.push(line);
  }

  #fail(error: Error): void {
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}
