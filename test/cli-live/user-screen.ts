// What the tests of the verbs that take the user's terminal share: a real terminal, which is a pane of tmux, with a real shell and the real CLI in it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { KEPT_CODE } from "../../packages/host/src/testing/kept-code.ts";
import { NACRE } from "../support/nacre-program.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { TmuxControl } from "../support/tmux-control.ts";

const MAIN = NACRE.at(-1) ?? "";

/** Long enough for a busy machine; whoever waits longer waits for something that does not come. */
export const PATIENCE = { timeout: 20_000, interval: 50 };

/** Such a test starts a dozen processes, one after the other. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

/** The size of the user's terminal at first. */
const SIZE = { cols: 100, rows: 30 };

/** A user with a home, a daemon of their own and a terminal. */
export class UserScreen implements AsyncDisposable {
  readonly #own = ownDirectory();
  readonly home = this.#own.path;
  readonly #tmux: TmuxControl;
  readonly #env: Readonly<Record<string, string>>;
  #count = 0;

  private constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
    writeFileSync(join(this.home, "rc"), "PS1='user> '\nunset HISTFILE\n");
    this.#tmux = new TmuxControl(
      [
        "new-session",
        "-x",
        String(SIZE.cols),
        "-y",
        String(SIZE.rows),
        "-c",
        this.home,
        `bash --rcfile ${this.home}/rc`,
      ],
      { ...this.environment, TMUX_TMPDIR: this.home },
    );
  }

  /** A terminal with a shell that is ready; where a daemon is meant that runs already, its variables say which. */
  static async open(env: Readonly<Record<string, string>> = {}): Promise<UserScreen> {
    const user = new UserScreen(env);
    await user.sees("user>");
    return user;
  }

  /** What the shell of the user and the CLI run with. */
  get environment(): Readonly<Record<string, string>> {
    return {
      ...KEPT_CODE,
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: this.home,
      NACRE_HOME: join(this.home, "nacre"),
      NACRE_PORT: "0",
      NACRE_ALLOW_ROOT: "true",
      LANG: "C.UTF-8",
      SHELL: "/bin/bash",
      NACRE: [process.execPath, ...NACRE].join(" "),
      ...this.#env,
    };
  }

  /** Runs the CLI beside the terminal, to its end. */
  nacre(...args: readonly string[]) {
    return spawnSync(process.execPath, [...NACRE, ...args], {
      env: { ...this.environment },
      cwd: this.home,
      encoding: "utf8",
    });
  }

  /** Begins a verb; resolves when it has ended. */
  async begin(...args: readonly string[]): Promise<void> {
    const options = { env: { ...this.environment }, cwd: this.home, stdio: "ignore" } as const;
    await once(spawn(process.execPath, [...NACRE, ...args], options), "exit");
  }

  /** The result of a verb. */
  result(verb: string, ...args: readonly string[]): Readonly<Record<string, unknown>> {
    const { stdout, stderr } = this.nacre(verb, "--json", ...args);
    const answer = JSON.parse(stdout) as { ok: boolean; result: Record<string, unknown> };
    if (!answer.ok) throw new Error(`${verb} ${args.join(" ")}: ${stdout}${stderr}`);
    return answer.result;
  }

  /** The size of a terminal as its program has it. */
  size(name: string): unknown {
    return this.result("screen", name)["size"];
  }

  /** Kills the daemon without a word. */
  killDaemon(): void {
    process.kill(Number(this.result("status")["pid"]), "SIGKILL");
  }

  /** What is in a file of the user's home. */
  file(name: string): string {
    return readFileSync(join(this.home, name), { encoding: "utf8", flag: "a+" });
  }

  /** Waits until the user's own shell does what is typed. */
  async worksAgain(): Promise<void> {
    this.#count += 1;
    await this.line(`echo own-$((${this.#count}+1000))`);
    await this.sees(new RegExp(`^own-${this.#count + 1000}`, "m"));
  }

  /** Types keys by their names. */
  async keys(...names: readonly string[]): Promise<void> {
    await this.#tmux.run(`send-keys ${names.map(quoted).join(" ")}`);
  }

  /** Types text as it is. */
  async type(text: string): Promise<void> {
    await this.#tmux.run(`send-keys -l ${quoted(text)}`);
  }

  /** Types a line. */
  async line(text: string): Promise<void> {
    await this.type(text);
    await this.keys("Enter");
  }

  /** What the user sees. */
  async text(): Promise<string> {
    return (await this.#tmux.run("capture-pane -p")).join("\n");
  }

  /** What the user sees, with everything that can be scrolled back to. */
  async history(): Promise<string> {
    return (await this.#tmux.run("capture-pane -p -S -")).join("\n");
  }

  /** What the user sees, with colours. */
  async colors(): Promise<string> {
    return (await this.#tmux.run("capture-pane -p -e")).join("\n");
  }

  /** Something that tmux knows about the terminal, such as `mouse_any_flag`. */
  async flag(name: string): Promise<string> {
    return (await this.#tmux.run(`display-message -p "#{${name}}"`)).join("");
  }

  /** Waits until the user sees something. */
  async sees(wanted: string | RegExp): Promise<void> {
    const isSeen = (text: string): boolean =>
      typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
    await until(() => this.text(), isSeen, `${String(wanted)} is not seen`);
  }

  /** Waits until something is so, as far as tmux knows. */
  async has(name: string, value: string): Promise<void> {
    await until(
      () => this.flag(name),
      (found) => found === value,
      `${name} is not ${value}`,
    );
  }

  async resize(cols: number, rows: number): Promise<void> {
    await this.#tmux.run(`resize-window -x ${cols} -y ${rows}`);
  }

  /** The settings of the line discipline that the user's shell gives its programs. */
  async ownModes(): Promise<string> {
    this.#count += 1;
    const name = `modes-${this.#count}`;
    await this.line(`stty -g > ${name}`);
    await until(
      () => this.file(name),
      (text) => text.endsWith("\n"),
      "no modes are told",
    );
    return this.file(name).trim();
  }

  /** The settings of the line discipline now. */
  async modes(): Promise<string> {
    const tty = await this.flag("pane_tty");
    return spawnSync("stty", ["-g", "-F", tty], { encoding: "utf8" }).stdout.trim();
  }

  /** The process of the CLI that runs in the terminal; 0 when there is none. */
  client(): number {
    const pid = this.#findClient();
    // A signal to 0 would go to the whole process group of the tests.
    if (pid === undefined) throw new Error("no CLI runs in the terminal");
    return pid;
  }

  #findClient(): number | undefined {
    const isClient = (pid: string): boolean => {
      const words = ofProcess(pid, "cmdline");
      const isCli = words[0] === "nacre attach" || (words.includes(MAIN) && words.includes("play"));
      return isCli && ofProcess(pid, "environ").includes(`HOME=${this.home}`);
    };
    const found = readdirSync("/proc").find((name) => /^\d+$/.test(name) && isClient(name));
    return found === undefined ? undefined : Number(found);
  }

  /** The processes that would restore the terminal of this user. */
  guardians(): readonly string[] {
    return readdirSync("/proc").filter(
      (name) =>
        /^\d+$/.test(name) &&
        ofProcess(name, "cmdline").includes("nacre-guardian") &&
        ofProcess(name, "environ").includes(`HOME=${this.home}`),
    );
  }

  /** Waits until no CLI runs in the terminal, which would take what is typed for the shell. */
  async hasLeft(): Promise<void> {
    await until(
      () => this.#findClient(),
      (pid) => pid === undefined,
      "the CLI still runs",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.nacre("stop");
    await this.#tmux[Symbol.asyncDispose]();
    this.#own[Symbol.dispose]();
  }
}

/** Looks again and again until what is found is right. */
async function until<Value>(
  look: () => Value | Promise<Value>,
  isRight: (value: Value) => boolean,
  problem: string,
): Promise<void> {
  await vi.waitFor(async () => {
    const value = await look();
    if (!isRight(value)) throw new Error(`${problem}: ${String(value)}`);
  }, PATIENCE);
}

/** What the system tells of a process; nothing once it is gone. */
function ofProcess(pid: string, file: "cmdline" | "environ"): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
  } catch {
    // It has ended between two looks.
    return [];
  }
}

const quoted = (text: string): string =>
  `"${text.replaceAll(/["\\$]/g, (letter) => `\\${letter}`)}"`;
