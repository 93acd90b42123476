import {
  parse,
  ReadTerminalInput,
  TerminalContract,
  type TerminalData,
  type TerminalInput,
  type TerminalSendInput,
  TerminalSendInputSchema,
} from "@nacre/contracts";
import type { CreateOptions } from "../terminal/launch-terminal.ts";
import type { Registry } from "./registry.ts";

type Caller = CreateOptions["by"];

/** The Terminal entity: its methods as its contract declares them, each for a caller. */
export class TerminalEntity {
  readonly contract = TerminalContract;
  readonly #registry: Registry;
  readonly #caller: Caller;

  /** @param caller Who asks when a call does not say. */
  constructor(registry: Registry, caller: Caller) {
    this.#registry = registry;
    this.#caller = caller;
  }

  /** Creates a terminal and starts its program, completely or not at all. */
  async create(input: TerminalInput, by = this.#caller): Promise<TerminalData> {
    const terminal = await this.#registry.create(input, { by });
    return await terminal.read();
  }

  /** Reads a terminal, live or ended, without changing anything. */
  async read(input: ReadTerminalInput): Promise<TerminalData> {
    const { id, types } = parse(ReadTerminalInput, input);
    return await this.#registry.read(id, types);
  }

  /** Types into a terminal, gives it a new size, or both. */
  async sendInput(input: TerminalSendInput, by = this.#caller): Promise<TerminalData> {
    const { id, ...data } = parse(TerminalSendInputSchema, input);
    const terminal = await this.#registry.require(id);
    await terminal.sendInput(data, by);
    return await terminal.read();
  }
}
