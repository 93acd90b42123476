import { z } from "zod";
import { checkedFirst, isRecord, keyProblem, type Problem } from "./checked-first.ts";

/** Deeper values come from mistakes, and walking them costs stack. */
const MAX_JSON_DEPTH = 16;

/** A key is a name, not a value. */
const MAX_KEY_LENGTH = 256;

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
};

/** Looks at a value part by part, and stops as soon as the parts alone are longer than their JSON may be. */
class JsonWalk {
  #left: number;

  constructor(maxLength: number) {
    this.#left = maxLength;
  }

  /** Whether the value was too long to be looked at to its end. */
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

/** A plain tree of JSON whose written form has at most `maxLength` characters; refused otherwise, never changed. */
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
