import type { NacreError } from "@nacre/contracts/error";
import type { Context } from "./context.ts";

/** One option of a verb. */
export interface Option {
  /** Its name without dashes. */
  readonly name: string;
  /** Its one letter, where it has one. */
  readonly short?: string;
  /** What stands for its value in the help; an option without is a switch. */
  readonly value?: string;
  readonly description: string;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  /** Whether it may be given several times. */
  readonly isMany?: true;
}

/** One word that a verb takes by its place. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: true;
  /** Whether all words from here on are meant. */
  readonly isMany?: true;
  /** What shells offer for it. */
  readonly completes?: "terminals" | "files" | readonly string[];
}

/** The words after `--`, or all words from the first that is no option on. */
export interface RestArguments {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: true;
  /** Whether they begin without `--` too, behind the last argument. */
  readonly isGreedy?: true;
}

/** One line that shows how a verb is used; tests run every one of them. */
interface Example {
  readonly line: string;
  /** What it is for, in a few words. */
  readonly about: string;
  /** Where it cannot simply be run to its end: it `lasts` until it is ended, or needs the `keys` of a person. */
  readonly kind?: "lasts" | "keys";
}

/** The sections of the list of verbs. */
export type Section = "terminals" | "driving" | "recordings" | "sharing" | "daemon" | "other";

/** What everybody can know of a verb without running it; help, reference, completion and parser are made from this. */
export interface Declaration {
  readonly name: string;
  readonly section: Section;
  /** What it does, in one line of the list of verbs. */
  readonly summary: string;
  /** What else is worth knowing, in a paragraph or more. */
  readonly description?: string;
  readonly arguments?: readonly Argument[];
  readonly rest?: RestArguments;
  readonly options?: readonly Option[];
  readonly examples: readonly Example[];
  /** Whether it begins something, always or with this option, so that it makes a home that is not there; other verbs refuse that. */
  readonly makesHome?: true | string;
  /** Exit codes that mean something else than in the table of all verbs. */
  readonly exitCodes?: readonly (readonly [code: string, meaning: string])[];
}

/** What a verb found or did. */
export interface Outcome {
  /** What `--json` prints as `result`. */
  readonly result: unknown;
  /** What people read; whatever in it was said by others has gone through `safeText`. Nothing is printed when it is empty. */
  readonly text: string;
  /** 0 when absent. */
  readonly exitCode?: number;
  /** That what was asked for did not come about, though there is a result; it gives the exit code. */
  readonly failure?: NacreError;
  /** Whether the verb has printed all by itself. */
  readonly isPrinted?: true;
  /** What is waited for after all was printed. */
  readonly until?: Promise<void>;
}

/** One verb of the CLI. */
export interface Command extends Declaration {
  run(context: Context): Promise<Outcome>;
}
