import { FIRST_SCHEMA } from "./0001-recordings.ts";
import { SCREEN_SNAPSHOTS } from "./0002-screen-snapshots.ts";
import { AUDIT } from "./0003-audit.ts";

/** All schemas in order; number n leads from version n-1 to n. A published one is never changed. */
export const MIGRATIONS: readonly string[] = [FIRST_SCHEMA, SCREEN_SNAPSHOTS, AUDIT];
