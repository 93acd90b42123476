// Exports without schemas, for processes that must stay small: zod costs 28 MB.
export * from "./error.ts";
export * from "./nacre-error.ts";
export * from "./side-limit.ts";
export type { Size } from "./size.ts";
