/** Every value of a header as it came over the wire; the parsed headers hide a second one. */
export const headerValues = (rawHeaders: readonly string[], name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

/** The values of a header that is a list with commas. */
export const headerList = (rawHeaders: readonly string[], name: string): readonly string[] =>
  headerValues(rawHeaders, name)
    .flatMap((value) => value.split(","))
    .map((value) => value.trim());
