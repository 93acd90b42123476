const place = process.env["NODE_COMPILE_CACHE"];

/** Lets a process with its own environment find Node's compile cache: halves its start. */
export const KEPT_CODE: Readonly<Record<string, string>> =
  place === undefined ? {} : { NODE_COMPILE_CACHE: place };
