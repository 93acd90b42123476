import { z } from "zod";

/** A moment as ISO 8601 in UTC, as `Date.prototype.toISOString` writes it; every time on a wire has this form. */
export const Timestamp = z.iso.datetime().meta({
  description: "A moment as ISO 8601 in UTC, such as `2026-01-31T09:30:00.000Z`.",
  // The calendar-exact pattern of the parser is 300 characters long; readers of the reference need the form only.
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$",
});
export type Timestamp = z.infer<typeof Timestamp>;
