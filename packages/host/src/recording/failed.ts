import type { FailedWrite, Write, WriteProblem } from "./write.ts";

/** A write that is given up, with the reason and the bytes it brought. */
export function toFailedWrite(write: Write, problem: WriteProblem): FailedWrite {
  const { code, message, field, suggestion } = problem;
  const data = write.kind === "entry" ? write.data : null;
  return { ticket: write.ticket, problem: { code, message, field, suggestion }, data };
}
