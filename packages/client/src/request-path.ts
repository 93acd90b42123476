/** An input taken apart for HTTP. */
export interface RequestParts {
  /** The path with its parameters filled in. */
  readonly path: string;
  /** What is not in the path. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Fills the parameters of a path from an input. */
export function fillPath(template: string, input: object): RequestParts {
  const values = new Map<string, unknown>(Object.entries(input));
  const names = new Set<string>();
  const path = template.replaceAll(/\{([A-Za-z]+)\}/g, (_, name: string) => {
    names.add(name);
    return segmentOf(values.get(name));
  });
  return {
    path,
    rest: Object.fromEntries([...values].filter(([name]) => !names.has(name))),
  };
}

/** Ids have a colon, which may stand in a path as it is. */
const segmentOf = (value: unknown): string =>
  encodeURIComponent(textOf(value)).replaceAll("%3A", ":");

/** Writes values as a query with its `?`: arrays by repetition, objects by dots; empty where there are none. */
export function encodeQuery(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(pairsOf(values, "")).toString();
  return query === "" ? "" : `?${query}`;
}

function pairsOf(values: object, prefix: string): [string, string][] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    pairsOfValue(prefix + name, value),
  );
}

function pairsOfValue(name: string, value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => pairsOfValue(name, item));
  if (typeof value === "object" && value !== null) return pairsOf(value, `${name}.`);
  return [[name, textOf(value)]];
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
