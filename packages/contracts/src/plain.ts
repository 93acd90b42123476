// What needs no schemas, for processes that have to stay small: schemas cost them 28 MB.
export * from "./error.ts";
export * from "./nacre-error.ts";
export * from "./side-limit.ts";
export type { Size } from "./size.ts";
