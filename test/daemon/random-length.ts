import type { Random } from "../support/random.ts";

/** Connections break after at least and at most so many bytes of the host: within a head, or far behind it. */
const LEAST_BYTES = 40;
const MOST_BYTES = 16_384;

/** Mostly short, now and then long, so that every place is hit and all get on. */
export const randomLength = (random: Random): number =>
  Math.round(LEAST_BYTES * (MOST_BYTES / LEAST_BYTES) ** (random.between(0, 1000) / 1000));
