import type { NodeClient } from "@nacre/client/node";
import { NacreError } from "@nacre/contracts/error";
import type { Discovery } from "@nacre/host";
import type { Declaration } from "./command.ts";
import { DaemonLink } from "./daemon-link.ts";
import { findTerminal, type NamedTerminal } from "./find-terminal.ts";
import { OptionValues } from "./option-values.ts";
import { countPrograms } from "./keep-programs.ts";
import type { ParsedWords } from "./parse-words.ts";
import { createStyle, type Style, wantsColor } from "./print.ts";
import { requireHome } from "./require-home.ts";

export class Context implements Disposable {
  readonly verb: Declaration;
  readonly options: OptionValues;
  /** By position. */
  readonly args: readonly string[];
  /** Undefined without `--`. */
  readonly rest: readonly string[] | undefined;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** For standard output. */
  readonly style: Style;
  readonly #link: DaemonLink;

  constructor(verb: Declaration, { options, args, rest }: ParsedWords) {
    this.verb = verb;
    this.options = new OptionValues(options);
    this.args = args;
    this.rest = rest;
    this.isJson = options.has("json");
    this.isQuiet = options.has("quiet");
    const when = this.options.text("color");
    const isColored = wantsColor({ when, env: process.env, isTerminal: process.stdout.isTTY });
    this.style = createStyle(isColored && !this.isJson);
    const { makesHome } = verb;
    this.#link = new DaemonLink({
      makesHome: typeof makesHome === "string" ? options.has(makesHome) : makesHome,
    });
  }

  /** Starts the daemon when it does not run. */
  readonly call: DaemonLink["call"] = (name, input, options) =>
    this.#link.call(name, input, options);

  /** Also asks a successor: only for idempotent operations. */
  readonly callAgain: DaemonLink["call"] = (name, input, options) =>
    this.#link.callAgain(name, input, options);

  /** For feeds and transfers. */
  readonly client = (): Promise<NodeClient> => this.#link.client();

  /** Without a word, the terminal in which this runs. */
  readonly terminal = (word: string | undefined): Promise<NamedTerminal> =>
    findTerminal(word, this.call);

  [Symbol.dispose](): void {
    this.#link[Symbol.dispose]();
  }
}

/** Throws `unavailable` when it does not run. */
export async function requireDaemon(): Promise<Discovery> {
  requireHome();
  const { findDaemon, findKeeper, ownDirectories } = await import("@nacre/host");
  const directories = ownDirectories();
  const { home, run } = directories;
  const daemon = findDaemon(run);
  if (daemon) return daemon;
  const keeper = findKeeper(directories);
  if (keeper) {
    const message = `no daemon runs for ${home}, but the keeper with pid ${keeper.pid} has ${countPrograms(keeper.programs)}`;
    throw new NacreError("unavailable", message, {
      suggestion: "Continue with `nacre restart`, or end everything with `nacre stop`.",
    });
  }
  throw new NacreError("unavailable", `no daemon runs for ${home}`, {
    suggestion: "Start one with `nacre serve`.",
  });
}
