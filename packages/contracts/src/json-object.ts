import { z } from "zod";

/** Collects refusals of a check; a zod refinement context is one. */
export interface Report {
  addIssue(issue: { code: "custom"; path: string[]; message: string }): void;
}

export const refuse = (report: Report, field: string, message: string): void =>
  report.addIssue({ code: "custom", path: [field], message });

type Keywords = Readonly<Record<string, unknown>>;

/** JSON Schema's `if`/`then`/`else`: a rule between fields. */
export const when = (condition: Keywords, consequence: Keywords, otherwise?: Keywords) => ({
  if: condition,
  // oxlint-disable-next-line no-thenable -- `then` is the JSON Schema keyword; nobody awaits a rule
  then: consequence,
  ...(otherwise === undefined ? {} : { else: otherwise }),
});

// Values are checked before zod copies them: its copy of a record silently drops some keys.

/** Assigning to these changes the object's behaviour instead of adding a property. */
const UNSAFE_KEYS: ReadonlySet<PropertyKey> = new Set(["__proto__", "constructor", "prototype"]);

interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Why zod would drop or change this key. */
function keyProblem(key: PropertyKey): string | undefined {
  if (typeof key !== "string") return "must have text as keys";
  if (UNSAFE_KEYS.has(key)) return `must not have the key \`${key}\``;
  return key.isWellFormed() ? undefined : "must have well-formed Unicode as keys";
}

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks the raw value before `schema` sees it, and stops on a problem. */
const checkedFirst = <Schema extends z.ZodType>(
  problemWith: (value: unknown) => Problem | undefined,
  schema: Schema,
) =>
  z.preprocess((value, context) => {
    const problem = problemWith(value);
    if (problem !== undefined) {
      context.addIssue({ code: "custom", path: [...problem.path], message: problem.message });
    }
    return value;
  }, schema);

interface RecordOptions<Key, Value> {
  readonly key: Key;
  readonly value: Value;
  readonly maxProperties: number;
}

/** A record that keeps every key or is refused; counted before it is parsed. */
export const safeRecord = <Key extends z.core.$ZodRecordKey, Value extends z.ZodType>({
  key,
  value,
  maxProperties,
}: RecordOptions<Key, Value>) =>
  checkedFirst(
    (input) => {
      if (!isRecord(input)) return undefined;
      const keys = Reflect.ownKeys(input);
      const message =
        keys.length > maxProperties
          ? `may have at most ${maxProperties} properties`
          : keys.map(keyProblem).find(Boolean);
      return message === undefined ? undefined : { path: [], message };
    },
    z.record(key, value),
  );

/** A list whose length is checked before its items. */
export const countedList = <Item extends z.ZodType>(item: Item, maxItems: number) =>
  checkedFirst(
    (input) =>
      Array.isArray(input) && input.length > maxItems
        ? { path: [], message: `may have at most ${maxItems} items` }
        : undefined,
    z.array(item).max(maxItems),
  );

/** Deeper values are mistakes, and walking them costs stack. */
const MAX_JSON_DEPTH = 16;

const MAX_KEY_LENGTH = 256;

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
};

/** Measures a value without serialising it; stops once the parts alone exceed the bound. */
class JsonWalk {
  #left: number;

  constructor(maxLength: number) {
    this.#left = maxLength;
  }

  get isTooLong(): boolean {
    return this.#left < 0;
  }

  problemWith(value: unknown, depth = 0): Problem | undefined {
    this.#left -= typeof value === "string" ? value.length : 1;
    if (this.isTooLong) return { path: [], message: "is too long" };
    if (value === null || typeof value === "boolean") return undefined;
    if (typeof value === "number") {
      return Number.isFinite(value) ? undefined : { path: [], message: "must be a finite number" };
    }
    if (typeof value === "string") {
      return value.isWellFormed()
        ? undefined
        : { path: [], message: "must be well-formed Unicode" };
    }
    if (typeof value !== "object") return { path: [], message: "must be JSON" };
    if (depth >= MAX_JSON_DEPTH) {
      return { path: [], message: `must be at most ${MAX_JSON_DEPTH} levels deep` };
    }
    return Array.isArray(value) ? this.#inArray(value, depth) : this.#inObject(value, depth);
  }

  #inArray(items: readonly unknown[], depth: number): Problem | undefined {
    for (let index = 0; index < items.length; index += 1) {
      const problem = this.problemWith(items[index], depth + 1);
      if (problem !== undefined) return { ...problem, path: [index, ...problem.path] };
    }
    return undefined;
  }

  #inObject(value: object, depth: number): Problem | undefined {
    if (!isPlainObject(value)) return { path: [], message: "must be a plain JSON object" };
    for (const key of Reflect.ownKeys(value)) {
      const wrong = keyProblem(key);
      if (wrong !== undefined) return { path: [], message: wrong };
      const text = String(key);
      this.#left -= text.length;
      const problem = this.problemWith(Reflect.get(value, key), depth + 1);
      if (problem !== undefined) return { ...problem, path: [text, ...problem.path] };
    }
    return undefined;
  }
}

/** A plain JSON object of at most `maxLength` characters when serialised; accepted unchanged or refused. */
export const jsonObject = (maxLength: number) =>
  checkedFirst(
    (value) => {
      if (!isRecord(value)) return undefined;
      const walk = new JsonWalk(maxLength);
      const problem = walk.problemWith(value);
      if (problem !== undefined && !walk.isTooLong) return problem;
      return !walk.isTooLong && JSON.stringify(value).length <= maxLength
        ? undefined
        : { path: [], message: `must be JSON of at most ${maxLength} characters` };
    },
    z.record(z.string().max(MAX_KEY_LENGTH).min(1), z.unknown()),
  );
