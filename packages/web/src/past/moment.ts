import type { TerminalId } from "@nacre/contracts";
import { linkTo, playerPath } from "../state/links.ts";

/** The link to a recording, at a moment of it where there is one. */
export const linkToMoment = (id: TerminalId, ms?: number): string =>
  linkTo(playerPath(id), ms === undefined ? {} : { t: writeMoment(ms) });

// A place in a recording as people and addresses write it.

const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1000 } as const;

/** The longest recording an address can point into; more is a slip of whoever wrote it. */
const MAX_MOMENT_MS = 10 * 365 * 24 * UNITS_MS.h;

/** Reads the `t` of an address: seconds (`12.5`), parts (`1h2m3s`) or a clock (`1:02:03`); undefined when it is none. */
export function parseMomentParam(text: string): number | undefined {
  const ms = secondsOf(text) ?? clockOf(text) ?? partsOf(text);
  return ms === undefined || ms > MAX_MOMENT_MS ? undefined : Math.round(ms);
}

/** Writes a place as the `t` of an address: seconds, as short as they can be. */
export const writeMoment = (ms: number): string => String(Number((ms / 1000).toFixed(3)));

function secondsOf(text: string): number | undefined {
  return /^\d{1,12}(\.\d{1,6})?s?$/.test(text) ? Number.parseFloat(text) * UNITS_MS.s : undefined;
}

function clockOf(text: string): number | undefined {
  const found = /^(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2}(?:\.\d{1,6})?)$/.exec(text);
  if (!found) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = found;
  return partsMs(hours, minutes, seconds);
}

function partsOf(text: string): number | undefined {
  const found = /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6}(?:\.\d{1,6})?)s)?$/.exec(text);
  if (!found || text === "") return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = found;
  return partsMs(hours, minutes, seconds);
}

const partsMs = (hours: string, minutes: string, seconds: string): number =>
  Number(hours) * UNITS_MS.h + Number(minutes) * UNITS_MS.m + Number(seconds) * UNITS_MS.s;
