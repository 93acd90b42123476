/** Takes the refusals of a check; the context of a zod refinement is one. */
export interface Report {
  addIssue(issue: { code: "custom"; path: string[]; message: string }): void;
}

/** Refuses one field in words. */
export const refuse = (report: Report, field: string, message: string): void =>
  report.addIssue({ code: "custom", path: [field], message });
