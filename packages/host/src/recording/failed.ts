import type { Failed, Write, WriteProblem } from "./write.ts";

/** A write that is given up, with the reason and the bytes it brought. */
export function failedOf(write: Write, problem: WriteProblem): Failed {
  const { code, message, field, suggestion } = problem;
  const data = write.kind === "entry" ? write.data : null;
  return { ticket: write.ticket, problem: { code, message, field, suggestion }, data };
}
