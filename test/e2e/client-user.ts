import type { NacreClient } from "@nacre/client";
import type { Size, TerminalId, WaitCondition, WaitResult } from "@nacre/contracts";
import type { Launch, Ran, TerminalUser } from "./terminal-user.ts";

/** Uses a terminal by the operations of the host, over HTTP or the unix socket. */
export class ClientUser implements TerminalUser {
  readonly client: NacreClient & Partial<Disposable>;
  #id: TerminalId | undefined;
  /** The newest entry before something was typed last. */
  #typedAfter = 0;

  /** @param client Goes with its user where it keeps connections. */
  constructor(client: NacreClient & Partial<Disposable>) {
    this.client = client;
  }

  get id(): TerminalId {
    if (this.#id === undefined) throw new Error("there is no terminal yet");
    return this.#id;
  }

  async create({ name, cwd, size, env }: Launch): Promise<TerminalId> {
    const workingDirectory = cwd;
    const { id } = await this.client.createTerminal({ name, workingDirectory, size, env });
    return (this.#id = id);
  }

  async run(commandLine: string): Promise<Ran> {
    return ranOf(await this.client.runCommand({ id: this.id, commandLine }));
  }

  async untilPrompt(): Promise<void> {
    const { id } = this;
    requireOutcome("prompt", await this.client.waitFor({ id, until: [{ kind: "prompt" }] }));
  }

  async type(text: string): Promise<void> {
    await this.noteTyping();
    await this.client.sendInput({ id: this.id, data: text });
  }

  async untilText(text: string): Promise<void> {
    await this.#until({ kind: "text", text });
  }

  async untilCommandEnd(): Promise<number | null> {
    const { command } = await this.#until({ kind: "commandEnd" });
    return command?.exitCode ?? null;
  }

  async resize({ cols, rows }: Size): Promise<Size> {
    return await this.client.resizeTerminal({ id: this.id, cols, rows });
  }

  async signal(signal: "SIGTERM"): Promise<void> {
    await this.client.signalTerminal({ id: this.id, signal });
  }

  async untilExit(): Promise<number | null> {
    await this.#until({ kind: "exit" });
    return (await this.client.readOutput({ id: this.id, maxBytes: 65_536 })).exitCode ?? null;
  }

  async readAll(): Promise<string> {
    const { data, encoding } = await this.client.readOutput({ id: this.id });
    return Buffer.from(data, encoding ?? "utf8").toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]?.();
  }

  /** Remembers where the recording is before something is typed; a wait that does not wait tells. */
  protected async noteTyping(): Promise<void> {
    const until = [{ kind: "exit" as const }];
    const { sequence } = await this.client.waitFor({ id: this.id, until, timeoutMs: 0 });
    this.#typedAfter = sequence;
  }

  async #until(condition: WaitCondition): Promise<WaitResult> {
    const after = this.#typedAfter;
    const result = await this.client.waitFor({ id: this.id, until: [condition], after });
    return requireOutcome(condition.kind, result);
  }
}

/** What the operation that runs command lines answered. */
export const ranOf = ({
  output,
  command,
  inputNeeded,
}: Awaited<ReturnType<NacreClient["runCommand"]>>): Ran => ({
  output: output.text,
  exitCode: command?.exitCode ?? null,
  inputNeeded: inputNeeded?.kind,
});

function requireOutcome(outcome: string, result: WaitResult): WaitResult {
  if (result.outcome !== outcome) throw new Error(`${result.outcome} instead of ${outcome}`);
  return result;
}
