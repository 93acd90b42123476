export * from "./error.ts";
export * from "./ids.ts";
export * from "./size.ts";
