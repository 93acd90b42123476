import { NacreError } from "@nacre/contracts/error";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
};

const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g;
const WHOLE = new RegExp(`^(?:${PART.source})+$`);

/** `500ms`, `5s`, `1h30m` or `7d`; refuses a number without a unit. */
export function parseDurationMs(text: string, field: string): number {
  if (!WHOLE.test(text)) {
    throw new NacreError(
      "invalid_argument",
      `--${field}: ${text} is not a duration; expected one such as 500ms, 5s, 2m, 1h30m or 7d`,
      { field },
    );
  }
  const parts = [...text.matchAll(PART)];
  return Math.round(
    parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ""] ?? 0), 0),
  );
}

/** A time before now such as `2h`, or a date such as `2026-01-31` or `2026-01-31T12:00Z`. */
export function parseMoment(text: string, field: string, now: number): string {
  if (WHOLE.test(text)) return new Date(now - parseDurationMs(text, field)).toISOString();
  const at = /^\d{4}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new NacreError(
    "invalid_argument",
    `--${field}: ${text} is not a time; expected 2h for two hours ago, or a date such as 2026-01-31`,
    { field },
  );
}
