import { NacreError } from "@nacre/contracts/error";
import type { Declaration, Option } from "./command.ts";
import { nearNames } from "./find-verb.ts";

/** Options of every verb. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  { name: "json", description: "Print one JSON object instead of text" },
  { name: "quiet", short: "q", description: "Print only what programs need: ids, names, nothing" },
  {
    name: "color",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    description: "When to use colours; NO_COLOR and CLICOLOR_FORCE count too",
  },
  { name: "help", short: "h", description: "Show how the verb is used" },
];

export interface ParsedWords {
  /** By option name; a switch has one empty text. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly args: readonly string[];
  /** Undefined without `--`. */
  readonly rest: readonly string[] | undefined;
}

/** Usage errors name a next step. */
export function parseWords(verb: Declaration, words: readonly string[]): ParsedWords {
  return new WordParser(verb).parse(words);
}

class WordParser {
  readonly #verb: Declaration;
  readonly #known: readonly Option[];
  readonly #options = new Map<string, string[]>();
  readonly #args: string[] = [];
  #rest: readonly string[] | undefined;

  constructor(verb: Declaration) {
    this.#verb = verb;
    this.#known = [...(verb.options ?? []), ...GLOBAL_OPTIONS];
  }

  parse(words: readonly string[]): ParsedWords {
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? "";
      if (word === "--" || this.#beginsRest(word)) {
        this.#rest = words.slice(word === "--" ? at + 1 : at);
        break;
      }
      if (!isOption(word)) this.#args.push(word);
      else if (this.#takeOption(word, words[at + 1])) at++;
    }
    this.#check();
    return { options: this.#options, args: this.#args, rest: this.#rest };
  }

  #beginsRest(word: string): boolean {
    const { rest, arguments: declared = [] } = this.#verb;
    return rest?.isGreedy === true && !isOption(word) && this.#args.length >= declared.length;
  }

  /** Whether the next word was its value. */
  #takeOption(word: string, next: string | undefined): boolean {
    return word.startsWith("--") ? this.#takeLong(word, next) : this.#takeShort(word, next);
  }

  #takeLong(word: string, next: string | undefined): boolean {
    const end = word.indexOf("=");
    const name = word.slice(2, end === -1 ? undefined : end);
    const given = end === -1 ? undefined : word.slice(end + 1);
    const option = this.#find(({ name: known }) => known === name, `--${name}`);
    if (option.value === undefined) {
      if (given !== undefined) throw this.#wrong(`--${name} takes no value`);
      this.#add(option, "");
      return false;
    }
    return this.#addValue(option, given, next);
  }

  /** One letter, or several of which only the last may have a value, which may be attached. */
  #takeShort(word: string, next: string | undefined): boolean {
    for (let at = 1; at < word.length; at++) {
      const letter = word[at] ?? "";
      const option = this.#find(({ short }) => short === letter, `-${letter}`);
      if (option.value !== undefined) {
        const given = at + 1 < word.length ? word.slice(at + 1) : undefined;
        return this.#addValue(option, given, next);
      }
      this.#add(option, "");
    }
    return false;
  }

  #addValue(option: Option, given: string | undefined, next: string | undefined): boolean {
    const value = given ?? next;
    if (value === undefined || (given === undefined && value === "--")) {
      throw this.#wrong(`--${option.name} needs a value, ${option.value ?? ""}`, option.name);
    }
    this.#add(option, value);
    return given === undefined;
  }

  #add({ name, isMany, choices, value: word }: Option, value: string): void {
    if (choices !== undefined && !choices.includes(value)) {
      throw this.#wrong(
        `--${name} ${word ?? ""}: ${value} is not one of ${choices.join(", ")}`,
        name,
      );
    }
    const before = this.#options.get(name);
    if (before !== undefined && word !== undefined && !isMany) {
      throw this.#wrong(`--${name} is given twice`, name);
    }
    this.#options.set(name, [...(before ?? []), value]);
  }

  #find(isMeant: (option: Option) => boolean, spelled: string): Option {
    const option = this.#known.find(isMeant);
    if (option) return option;
    const long = this.#known.map(({ name }) => name);
    const near = nearNames(spelled.replace(/^--?/, ""), long).map((name) => `--${name}`);
    throw this.#wrong(
      `there is no option ${spelled}${near.length > 0 ? `; ${near.join(" or ")}?` : ""}`,
    );
  }

  #check(): void {
    const { arguments: declared = [], rest } = this.#verb;
    // `--help` needs no other words.
    if (this.#options.has("help")) return;
    const isOpen = declared.some(({ isMany }) => isMany === true);
    const extra = isOpen ? undefined : this.#args[declared.length];
    if (extra !== undefined) throw this.#wrong(`${extra} is one word too many`);
    const missing = declared.find((one, at) => !one.isOptional && this.#args[at] === undefined);
    if (missing) throw this.#wrong(`<${missing.name}> is missing`, missing.name);
    if (rest === undefined && (this.#rest?.length ?? 0) > 0) {
      throw this.#wrong(`nothing may follow --`);
    }
    if (rest && !rest.isOptional && (this.#rest?.length ?? 0) === 0) {
      throw this.#wrong(`<${rest.name}> is missing`, rest.name);
    }
  }

  #wrong(message: string, field?: string): NacreError {
    const { name } = this.#verb;
    return new NacreError("invalid_argument", `${name}: ${message}`, {
      suggestion: `Run \`nacre ${name} --help\`.`,
      ...(field === undefined ? {} : { field }),
    });
  }
}

/** `-3` counts from the end, and `-` is standard input. */
const isOption = (word: string): boolean => /^-(?!\d+$)./s.test(word);

/** Other users can read a program's arguments. */
export function refuseToken(words: readonly string[]): void {
  const end = words.indexOf("--");
  const own = end === -1 ? words : words.slice(0, end);
  if (!own.some((word) => /^--?token(?:=|$)/.test(word))) return;
  throw new NacreError("invalid_argument", "a token in the arguments is visible to other users", {
    field: "token",
    suggestion: "Leave --token out; the token is read from the file that only you can read.",
  });
}
