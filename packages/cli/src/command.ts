import type { NacreError } from "@nacre/contracts/error";
import type { Context } from "./context.ts";

export interface Option {
  /** Without dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Placeholder in the help; absent: a switch. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** May be repeated. */
  readonly isMany?: true;
}

export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: true;
  /** Takes all remaining words. */
  readonly isMany?: true;
  /** Shell completion. */
  readonly completes?: "terminals" | "files" | readonly string[];
}

/** The words after `--`, or all words from the first non-option on. */
export interface RestArguments {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: true;
  /** `--` is optional after the last argument. */
  readonly isGreedy?: true;
}

/** Tests run every example. */
interface Example {
  readonly line: string;
  /** In a few words. */
  readonly about: string;
  /** `lasts` until it is ended, or needs `keys` of a person: it cannot simply be run to its end. */
  readonly kind?: "lasts" | "keys";
}

export type Section = "terminals" | "driving" | "recordings" | "sharing" | "daemon" | "other";

/** Help, reference, completion and parser are generated from this. */
export interface Declaration {
  readonly name: string;
  readonly section: Section;
  /** One line. */
  readonly summary: string;
  /** Further paragraphs. */
  readonly description?: string;
  readonly arguments?: readonly Argument[];
  readonly rest?: RestArguments;
  readonly options?: readonly Option[];
  readonly examples: readonly Example[];
  /** Creates a missing home, always or with this option; other verbs refuse one. */
  readonly makesHome?: true | string;
  /** Exit codes that differ from the common table. */
  readonly exitCodes?: readonly (readonly [code: string, meaning: string])[];
}

export interface Outcome {
  /** `result` of `--json`. */
  readonly result: unknown;
  /** For people; foreign text in it has gone through `safeText`. Empty: prints nothing. */
  readonly text: string;
  /** Default 0. */
  readonly exitCode?: number;
  /** The goal was not reached though there is a result; gives the exit code. */
  readonly failure?: NacreError;
  /** The verb printed everything itself. */
  readonly isPrinted?: true;
  /** Awaited after printing. */
  readonly until?: Promise<void>;
}

export interface Command extends Declaration {
  run(context: Context): Promise<Outcome>;
}
