import { NacreError, schemaErrorMap } from "@nacre/contracts";
import type { z } from "zod";

/** The rest shows when these are fixed. */
const MAX_PROBLEMS = 8;

interface Problem {
  readonly field: string;
  readonly message: string;
}

/** Throws `invalid_argument` with everything that is wrong, unknown names first. */
export function checkArguments<Input extends z.ZodObject>(
  schema: Input,
  given: unknown,
): z.output<Input> {
  const checked = schema.safeParse(given, { error: schemaErrorMap });
  if (checked.success) return checked.data;
  const known = Object.keys(schema.shape);
  const problems = checked.error.issues.flatMap((issue) => describeIssue(issue, { known, given }));
  const ordered = problems.toSorted((one, other) => Number(isKnown(one)) - Number(isKnown(other)));
  const message = ordered.slice(0, MAX_PROBLEMS).map((one) => `${one.field}: ${one.message}`);
  const field = ordered[0]?.field;
  throw new NacreError("invalid_argument", message.join("; "), {
    cause: checked.error,
    field,
    suggestion: `Send what the tool takes: ${known.join(", ")}.`,
  });

  function isKnown({ field: name }: Problem): boolean {
    return known.includes(name.split(".")[0] ?? "");
  }
}

interface ArgumentCheck {
  readonly known: readonly string[];
  readonly given: unknown;
}

function describeIssue(
  issue: z.core.$ZodIssue,
  { known, given }: ArgumentCheck,
): readonly Problem[] {
  const path = issue.path.map(String);
  if (issue.code !== "unrecognized_keys") {
    const [name = ""] = path;
    const isMissing = typeof given === "object" && given !== null && !Object.hasOwn(given, name);
    const message = isMissing ? "is missing" : issue.message;
    return [{ field: path.join(".") || "arguments", message }];
  }
  return issue.keys.map((key) => {
    const meant = path.length === 0 ? known.find((name) => isSimilar(key, name)) : undefined;
    const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`;
    return { field: [...path, key].join("."), message: `is unknown${hint}` };
  });
}

/** Letters left out (`cmd`), added (`working_cwd`) or swapped, or another style. */
function isSimilar(given: string, name: string): boolean {
  const [one, other] = [given, name].map((word) => word.toLowerCase().replaceAll(/[^a-z]/g, ""));
  if (one === undefined || other === undefined || one === "") return false;
  return (
    isSubsequence(one, other) ||
    isSubsequence(other, one) ||
    sortLetters(one) === sortLetters(other)
  );
}

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const letter of whole) if (letter === part[at]) at++;
  return at === part.length && part.length > 1;
}

const sortLetters = (word: string): string => word.split("").toSorted().join("");
