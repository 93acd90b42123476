import { Size, TerminalId } from "@nacre/contracts";
import { z } from "zod";
import type { ToolUser } from "../support/tool-user.ts";
import type { Launch, Ran, TerminalUser } from "./terminal-user.ts";

const Told = z.object({
  terminal_id: TerminalId,
  outcome: z.string().optional(),
  output: z.string().optional(),
  exit_code: z.int().nullish(),
  command_exit_code: z.int().nullish(),
  input_needed: z.string().optional(),
  cursor: z.string().optional(),
  cols: z.int().optional(),
  rows: z.int().optional(),
});
type Told = z.infer<typeof Told>;

interface Wait {
  readonly until: "prompt" | "text" | "command_end" | "exit";
  readonly text?: string;
  readonly cursor?: string;
}

/** As long as one use of a tool may wait. */
const YIELD_MS = 30_000;

/** Uses a terminal by the tools of MCP. */
export class McpUser implements TerminalUser {
  readonly #tools: ToolUser;
  #id: TerminalId | undefined;
  /** Where the newest answer ended. */
  #cursor = "0";
  /** Where that was before something was typed last. */
  #typedAfter = "0";

  constructor(tools: ToolUser) {
    this.#tools = tools;
  }

  async create({ name, cwd, size, env }: Launch): Promise<TerminalId> {
    const { terminal_id } = await this.#use("create", { name, cwd, env, ...size });
    return (this.#id = terminal_id);
  }

  async run(command: string): Promise<Ran> {
    const told = await this.#use("run", { command, yield_time_ms: YIELD_MS });
    return {
      output: told.output ?? "",
      exitCode: told.exit_code ?? null,
      inputNeeded: told.input_needed,
    };
  }

  async untilPrompt(): Promise<void> {
    await this.#wait({ until: "prompt" });
  }

  async type(text: string): Promise<void> {
    this.#typedAfter = this.#cursor;
    const submit = text.endsWith("\r");
    await this.#use("write", { text: submit ? text.slice(0, -1) : text, submit });
  }

  async untilText(text: string): Promise<void> {
    await this.#wait({ until: "text", text, cursor: this.#typedAfter });
  }

  async untilCommandEnd(): Promise<number | null> {
    const told = await this.#wait({ until: "command_end", cursor: this.#typedAfter });
    return told.command_exit_code ?? null;
  }

  async resize(size: Size): Promise<Size> {
    const { cols, rows } = await this.#use("resize", size);
    return Size.parse({ cols, rows });
  }

  async signal(signal: "SIGTERM"): Promise<void> {
    await this.#use("signal", { signal });
  }

  async untilExit(): Promise<number | null> {
    return (await this.#wait({ until: "exit" })).exit_code ?? null;
  }

  async readAll(): Promise<string> {
    return (await this.#use("read", {})).output ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tools[Symbol.asyncDispose]();
  }

  async #wait(given: Wait): Promise<Told> {
    const told = await this.#use("wait", given);
    if (told.outcome !== given.until) throw new Error(`${told.outcome} instead of ${given.until}`);
    return told;
  }

  async #use(verb: string, given: object): Promise<Told> {
    const id = this.#id === undefined ? {} : { terminal_id: this.#id };
    const told = Told.parse(await this.#tools.get(`terminal_${verb}`, { ...id, ...given }));
    this.#cursor = told.cursor ?? this.#cursor;
    return told;
  }
}
