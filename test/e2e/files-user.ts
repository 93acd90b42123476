import { Size, TerminalId } from "@nacre/contracts";
import { type Answered, FileAgent } from "../support/file-agent.ts";
import { type Launch, PID_FILE, type Ran, type TerminalUser } from "./terminal-user.ts";

/** Uses a terminal by control files. */
export class FilesUser implements TerminalUser {
  readonly #agent: FileAgent;
  #cwd = "";

  /** @param directory The control directory of an agent. */
  constructor(directory: string) {
    this.#agent = new FileAgent(directory);
  }

  async create({ name, cwd, size, env }: Launch): Promise<TerminalId> {
    this.#cwd = cwd;
    const { terminal_id } = await this.#ask("create", { label: name, cwd, env, ...size });
    return TerminalId.parse(terminal_id);
  }

  async run(command: string): Promise<Ran> {
    const { text, exit_code, input_needed } = await this.#ask("exec", {
      command,
      use_current: true,
    });
    return { output: text, exitCode: exit_code, inputNeeded: input_needed };
  }

  async untilPrompt(): Promise<void> {
    await this.#wait("prompt");
  }

  async type(input: string): Promise<void> {
    await this.#ask("write", { input });
  }

  async untilText(text: string): Promise<void> {
    await this.#wait("output", { text });
  }

  async untilCommandEnd(): Promise<number | null> {
    return (await this.#wait("command_end")).exit_code;
  }

  async resize(size: Size): Promise<Size> {
    return Size.parse(await this.#ask("resize", size));
  }

  /** There is no file for signals: another command sends it, as in a shell. */
  async signal(signal: "SIGTERM"): Promise<void> {
    const command = `kill -s ${signal.slice("SIG".length)} "$(cat ${PID_FILE})"`;
    const { exit_code } = await this.#ask("exec", { command, cwd: this.#cwd });
    if (exit_code !== 0) throw new Error(`${command} ended with ${exit_code}`);
  }

  async untilExit(): Promise<number | null> {
    await this.#wait("exit");
    return (await this.#ask("read", { cursor: "0" })).exit_code;
  }

  async readAll(): Promise<string> {
    return (await this.#ask("read", { cursor: "0" })).text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Files stay with the home of the daemon, which goes with the test.
  }

  async #wait(until: string, given: object = {}): Promise<Answered["result"]> {
    const result = await this.#ask("wait", { until, ...given });
    if (result.outcome !== until) throw new Error(`${result.outcome} instead of ${until}`);
    return result;
  }

  async #ask(name: string, payload: object): Promise<Answered["result"]> {
    const { ok, result, error } = await this.#agent.ask(name, payload);
    if (!ok) throw new Error(`${name}: ${error?.message}`);
    return result;
  }
}
