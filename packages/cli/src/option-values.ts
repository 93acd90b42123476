import { NacreError } from "@nacre/contracts/error";
import { parseDurationMs, parseMoment } from "./duration.ts";
import type { ParsedWords } from "./parse-words.ts";

export const OWNER_VALUE = "KIND[:ID]";

export function parseOwner(text: string): { entityName: string; entityId?: string } {
  const at = text.indexOf(":");
  if (at === -1) return { entityName: text };
  return { entityName: text.slice(0, at), entityId: text.slice(at + 1) };
}

export function parseWholeOwner(text: string): { entityName: string; entityId: string } {
  const { entityName, entityId } = parseOwner(text);
  if (entityId !== undefined) return { entityName, entityId };
  throw new NacreError(
    "invalid_argument",
    `--owner: ${text} is not an owner; expected TYPE:ID such as Task:42`,
    {
      field: "owner",
    },
  );
}

export class OptionValues {
  readonly #options: ParsedWords["options"];

  constructor(options: ParsedWords["options"]) {
    this.#options = options;
  }

  has(name: string): boolean {
    return this.#options.has(name);
  }

  text(name: string): string | undefined {
    return this.#options.get(name)?.at(-1);
  }

  many(name: string): readonly string[] {
    return this.#options.get(name) ?? [];
  }

  integer(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new NacreError("invalid_argument", `--${name}: ${text} is not a number`, { field: name });
  }

  durationMs(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : parseDurationMs(text, name);
  }

  /** A duration means that long ago. */
  moment(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : parseMoment(text, name, Date.now());
  }
}
