import type * as HostLibrary from "@nacre/host";

/** Loaded when it is needed, since other verbs answer sooner without it. */
export type Library = typeof HostLibrary;

/** What one check found, and what to do about it. */
export interface Finding {
  readonly check: string;
  /** Whether it is as it should be; `warning` where everything works, but not as well as it could. */
  readonly state: "ok" | "warning" | "wrong";
  readonly found: string;
  /** What to do when it is not ok. */
  readonly advice?: string;
}

/** A finding that is ok, or what to do instead. */
export const finding = (
  check: string,
  found: string,
  problem?: { readonly state: "warning" | "wrong"; readonly advice: string },
): Finding => ({ check, state: "ok", found, ...problem });
