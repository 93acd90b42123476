// Values from outside are looked at before the parser copies them: its copy of a record leaves out some keys silently.
import { z } from "zod";

/** Assigning to these keys changes how an object behaves instead of adding a property. */
const UNSAFE_KEYS: ReadonlySet<PropertyKey> = new Set(["__proto__", "constructor", "prototype"]);

/** Where in a value a problem is, and what it is. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Says which key of a record the parser would lose or change. */
export function keyProblem(key: PropertyKey): string | undefined {
  if (typeof key !== "string") return "must have text as keys";
  if (UNSAFE_KEYS.has(key)) return `must not have the key \`${key}\``;
  return key.isWellFormed() ? undefined : "must have well-formed Unicode as keys";
}

/** Tells an object with keys from the other values. */
export const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Runs a check on the value as it came, hands it on unchanged, and stops when there is a problem. */
export const checkedFirst = <Schema extends z.ZodType>(
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

/** What a record holds, and how much of it. */
interface RecordOptions<Key, Value> {
  readonly key: Key;
  readonly value: Value;
  readonly maxProperties: number;
}

/** A record whose keys are all kept: one with a key that the parser would leave out is refused; counted before it is read. */
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

/** A list that is counted before its items are looked at. */
export const countedList = <Item extends z.ZodType>(item: Item, maxItems: number) =>
  checkedFirst(
    (input) =>
      Array.isArray(input) && input.length > maxItems
        ? { path: [], message: `may have at most ${maxItems} items` }
        : undefined,
    z.array(item).max(maxItems),
  );
