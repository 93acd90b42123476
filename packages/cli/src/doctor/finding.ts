import type * as HostLibrary from "@nacre/host";

/** Loaded on demand: other verbs answer sooner without it. */
export type Library = typeof HostLibrary;

export interface Finding {
  readonly check: string;
  /** `warning`: works, but not as well as it could. */
  readonly state: "ok" | "warning" | "wrong";
  readonly found: string;
  readonly advice?: string;
}

export const finding = (
  check: string,
  found: string,
  problem?: { readonly state: "warning" | "wrong"; readonly advice: string },
): Finding => ({ check, state: "ok", found, ...problem });
