import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DEFAULT_SIZE } from "@nacre/contracts";
import { choosePtyDriver, type Pty } from "@nacre/host";
import { type Integration, prepareIntegration } from "../../packages/host/src/shell/integration.ts";
import { ownDirectory } from "../support/own-directory.ts";

/** A marker as it stands in the output. */
export interface SeenMarker {
  /** Its letter and payload, escapes resolved: `D;0`. */
  readonly text: string;
  readonly isGood: boolean;
  /** Where it begins and ends in all the output. */
  readonly start: number;
  readonly end: number;
}

/** What to start. */
export interface ShellSetup {
  /** A program by its path. */
  readonly shell: string;
  readonly args?: readonly string[];
  /** Files of the person's home, by their names in it. */
  readonly home?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

// oxlint-disable-next-line no-control-regex -- markers are made of these
const MARKER = /\x1b\]633;([A-Z](?:;[^\x07]*?)?);nacre=([-\d.]+)\x07/g;

// oxlint-disable-next-line no-control-regex -- what fish writes between its last event and the command
const FISH_PROLOGUE = /^\x1b\[\?2004l(?:\x1b\]0;[^\x07]*\x07)?\x1b\[30m\x1b\(B\x1b\[m\r?/;

/** A real shell on a real Pty, with the integration, and what it said so far. Ends with the test. */
export class ShellTerminal implements AsyncDisposable {
  readonly home: string;
  readonly integration: Integration;
  readonly #pty: Pty;
  readonly markers: SeenMarker[] = [];
  readonly #decoder = new TextDecoder();
  #output = "";

  private constructor(pty: Pty, integration: Integration, home: string) {
    this.#pty = pty;
    this.integration = integration;
    this.home = home;
  }

  /** Starts a shell and waits for its first prompt. */
  static async start(setup: ShellSetup): Promise<ShellTerminal> {
    const terminal = await ShellTerminal.launch(setup);
    await using failure = new AsyncDisposableStack();
    failure.use(terminal);
    await terminal.untilMarker("B");
    failure.move();
    return terminal;
  }

  /** Starts a shell without waiting. */
  static async launch({ shell, args = [], home = {}, env = {} }: ShellSetup) {
    const directory = ownDirectory().path;
    const homePath = join(directory, "home");
    mkdirSync(homePath);
    for (const [name, content] of Object.entries(home)) {
      mkdirSync(dirname(join(homePath, name)), { recursive: true });
      writeFileSync(join(homePath, name), content);
    }
    const ownEnv = { HOME: homePath, ...BASE_ENV, ...env };
    const integration = await prepareIntegration({ shell, args, env: ownEnv, directory });
    assert.ok(integration, `${shell} ${args.join(" ")} can be integrated`);
    const driver = await choosePtyDriver();
    const pty = await driver.spawn({
      file: shell,
      args: integration.args,
      env: { ...ownEnv, ...integration.env },
      cwd: homePath,
      allowedRoots: [],
      size: DEFAULT_SIZE,
    });
    return new ShellTerminal(pty, integration, homePath);
  }

  /** Everything it wrote. */
  get output(): string {
    return this.#output;
  }

  /** What is left of the secret in its file. */
  get codeFile(): string {
    const { args, env } = this.integration;
    const path = env["NACRE_SHELL_CODE"] ?? /'([^']*)'$/.exec(args.at(-1) ?? "")?.[1] ?? "";
    return readFileSync(path, "latin1");
  }

  async type(text: string): Promise<void> {
    await this.#pty.write(Buffer.from(text));
  }

  /** Types a line, waits for the next prompt, and gives what happened between the two. */
  async run(line: string): Promise<Ran> {
    const from = this.markers.length;
    const start = this.#output.length;
    await this.type(`${line}\r`);
    await this.untilMarker("B", from);
    return this.#since(from, start);
  }

  /** Types what is answered by a prompt, but is no line. */
  async press(keys: string): Promise<Ran> {
    const from = this.markers.length;
    const start = this.#output.length;
    await this.type(keys);
    await this.untilMarker("B", from);
    return this.#since(from, start);
  }

  /** Reads until a marker of this kind has come after so many others. */
  async untilMarker(letter: string, from = 0): Promise<void> {
    while (!this.markers.slice(from).some(({ text }) => text === letter)) await this.#read();
  }

  /** Reads until the text has come, in all or behind a position. */
  async untilText(text: string, from = 0): Promise<void> {
    while (!this.#output.includes(text, from)) await this.#read();
  }

  /** Reads to the end of the program. */
  async toEnd(): Promise<void> {
    for (;;) if (!(await this.#readMore())) return;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pty[Symbol.asyncDispose]();
    rmSync(dirname(this.home), { recursive: true, force: true });
  }

  async #read(): Promise<void> {
    assert.ok(await this.#readMore(), `the shell ended: ${JSON.stringify(this.#output)}`);
  }

  async #readMore(): Promise<boolean> {
    const chunk = await this.#pty.read();
    if (!chunk) return false;
    this.#output += this.#decoder.decode(chunk.bytes, { stream: true });
    const last = this.markers.at(-1)?.end ?? 0;
    for (const match of this.#output.slice(last).matchAll(MARKER)) {
      const [whole, payload = "", code = ""] = match;
      const start = last + match.index;
      const isGood = this.integration.nonces.accept(code);
      this.markers.push({ text: resolve(payload), isGood, start, end: start + whole.length });
    }
    return true;
  }

  #since(from: number, start: number): Ran {
    const markers = this.markers.slice(from);
    const begin = markers.find(({ text }) => text === "C");
    const end = markers.find(({ text }) => text.startsWith("D"));
    return {
      markers: markers.map(({ text }) => text),
      areGood: markers.every(({ isGood }) => isGood),
      text: this.#output.slice(start),
      output:
        begin && end ? this.#output.slice(begin.end, end.start).replace(FISH_PROLOGUE, "") : "",
    };
  }
}

/** What happened between two prompts. */
export interface Ran {
  readonly markers: readonly string[];
  readonly areGood: boolean;
  /** All of it. */
  readonly text: string;
  /** What stands between the start and the end of the command. */
  readonly output: string;
}

const BASE_ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
};

const resolve = (payload: string): string =>
  payload.replace(/\\(?:x([\da-f]{2})|\\)/g, (_match, hex: string | undefined) =>
    hex === undefined ? "\\" : String.fromCharCode(parseInt(hex, 16)),
  );

/** The markers around a prompt in this directory. */
export const promptMarkers = (directory: string): readonly string[] => [
  `P;Cwd=${directory}`,
  "A",
  "B",
];

/** The markers of a command that was run at home, and of the prompt after it. */
export const commandMarkers = (
  { home }: ShellTerminal,
  line: string,
  exitCode = 0,
): readonly string[] => [`E;${line}`, "C", `D;${exitCode}`, ...promptMarkers(home)];
