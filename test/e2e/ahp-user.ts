import { pathToFileURL } from "node:url";
import type { RunCommandResult, Size, WaitResult } from "@nacre/contracts";
import { TerminalId } from "@nacre/contracts";
import { AhpClient, ownChannel } from "../support/ahp-client.ts";
import type { Part } from "../support/ahp-mirror.ts";
import { ranOf } from "./client-user.ts";
import type { Launch, Ran, TerminalUser } from "./terminal-user.ts";

/** Uses a terminal over the Agent Host Protocol: by its actions and the state they make, and by `x-nacre/…` where it has no words. */
export class AhpUser implements TerminalUser {
  readonly #client: AhpClient;
  readonly #channel = ownChannel();
  /** How much was written before something was typed last. */
  #typedAfter = 0;

  private constructor(client: AhpClient) {
    this.#client = client;
  }

  static async connect(port: number, token: string): Promise<AhpUser> {
    const client = await AhpClient.open(`ws://127.0.0.1:${port}/?tkn=${token}`);
    await client.initialize();
    return new AhpUser(client);
  }

  async create({ name, cwd, size, env }: Launch): Promise<TerminalId> {
    const _meta = { "dev.nacre": { env } };
    await this.#client.createTerminal(this.#channel, {
      name,
      cwd: pathToFileURL(cwd).href,
      ...size,
      _meta,
    });
    await this.#client.watch(this.#channel);
    return TerminalId.parse(this.#channel.replace("ahp-terminal:/", "terminal:"));
  }

  async run(commandLine: string): Promise<Ran> {
    return ranOf((await this.#ask("runCommand", { commandLine })) as RunCommandResult);
  }

  async untilPrompt(): Promise<void> {
    const waited = await this.#ask("waitFor", { until: [{ kind: "prompt" }] });
    const { outcome } = waited as WaitResult;
    if (outcome !== "prompt") throw new Error(`${outcome} instead of a prompt`);
  }

  async type(text: string): Promise<void> {
    this.#typedAfter = this.#client.text(this.#channel).length;
    await this.#client.untilOwn(this.#client.type(this.#channel, text));
  }

  async untilText(text: string): Promise<void> {
    const isThere = (): boolean =>
      this.#client.text(this.#channel).slice(this.#typedAfter).includes(text);
    await this.#client.until(isThere, text);
  }

  async untilCommandEnd(): Promise<number | null> {
    const command = (): Part | undefined =>
      this.#client.terminal(this.#channel).content.findLast(({ type }) => type === "command");
    await this.#client.until(() => command()?.isComplete === true, "the end of a command");
    return command()?.exitCode ?? null;
  }

  async resize(size: Size): Promise<Size> {
    const action = { type: "terminal/resized", ...size };
    await this.#client.untilOwn(this.#client.dispatch(this.#channel, action));
    const { cols = 0, rows = 0 } = this.#client.terminal(this.#channel);
    return { cols, rows };
  }

  async signal(signal: "SIGTERM"): Promise<void> {
    await this.#ask("signalTerminal", { signal });
  }

  async untilExit(): Promise<number | null> {
    const { action } = await this.#client.untilAction(this.#channel, "terminal/exited");
    return action.exitCode ?? null;
  }

  async readAll(): Promise<string> {
    await this.#client.watch(this.#channel);
    return this.#client.text(this.#channel);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
  }

  async #ask(operation: string, input: object): Promise<unknown> {
    return await this.#client.request(`x-nacre/${operation}`, { channel: this.#channel, input });
  }
}
