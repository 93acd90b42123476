import type { CallerId } from "@nacre/contracts";
import type { FactOf } from "../recording/recorded-entry.ts";

/** The title of one Terminal: the program's, until a caller renames it; that name stays until it is taken away. */
export class Title {
  #programs = "";
  #callers: string | undefined;
  #recorded = "";

  /** What is shown: what was recorded last; nothing when nobody set one. */
  get text(): string | undefined {
    return this.#recorded || undefined;
  }

  /** Takes note of a title that was recorded. */
  note(title: string): void {
    this.#recorded = title;
  }

  /** The program set its title; what is to be recorded of it. */
  setByProgram(title: string): FactOf<"title"> | undefined {
    const isNew = title !== this.#programs;
    this.#programs = title;
    return isNew && this.#callers === undefined ? { type: "title", title } : undefined;
  }

  /** A caller renamed the terminal, or took its name away with an empty one. */
  setByCaller(title: string, by: CallerId): FactOf<"title"> {
    this.#callers = title === "" ? undefined : title;
    return { type: "title", title: this.#callers ?? this.#programs, by };
  }
}
