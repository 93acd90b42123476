import { invalidArgument } from "@nacre/contracts";

/** Segments are literal or `{name}`. */
export interface RouteAddress {
  readonly method: string;
  readonly path: string;
}

/** What becomes of a request line: a route, a known path with other methods, or nothing. */
export type RouteMatch<Route> =
  | {
      readonly kind: "found";
      readonly route: Route;
      /** What stands in its path, by name. */
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: "otherMethod"; readonly allow: readonly string[] }
  | { readonly kind: "unknown" };

interface Template<Route> {
  readonly segments: readonly Segment[];
  readonly routes: Map<string, Route>;
}

type Segment = { readonly literal: string } | { readonly parameter: string };

/** Segment by segment; linear in table and path. */
export class RouteMatcher<Route extends RouteAddress> {
  readonly #templates: readonly Template<Route>[];

  constructor(routes: readonly Route[]) {
    const byPath = new Map<string, Template<Route>>();
    for (const route of routes) {
      const known = byPath.get(route.path);
      const template = known ?? { segments: parseSegments(route.path), routes: new Map() };
      if (template.routes.has(route.method)) {
        throw new Error(`two routes are ${route.method} ${route.path}`);
      }
      template.routes.set(route.method, route);
      byPath.set(route.path, template);
    }
    // A literal segment wins over a parameter.
    this.#templates = [...byPath.values()].toSorted(
      (left, right) => parameterCount(left) - parameterCount(right),
    );
  }

  /** HEAD matches GET. */
  match(method: string, path: string): RouteMatch<Route> {
    const given = path.split("/").slice(1);
    for (const { segments, routes } of this.#templates) {
      if (!matchesSegments(segments, given)) continue;
      const route = routes.get(method) ?? (method === "HEAD" ? routes.get("GET") : undefined);
      if (route === undefined) return { kind: "otherMethod", allow: allowedMethods(routes) };
      return { kind: "found", route, parameters: decodeParameters(segments, given) };
    }
    return { kind: "unknown" };
  }
}

const parseSegments = (path: string): readonly Segment[] =>
  path
    .split("/")
    .slice(1)
    .map((text) =>
      text.startsWith("{") && text.endsWith("}")
        ? { parameter: text.slice(1, -1) }
        : { literal: text },
    );

const parameterCount = ({ segments }: Template<unknown>): number =>
  segments.filter((segment) => "parameter" in segment).length;

const matchesSegments = (segments: readonly Segment[], given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, index) =>
    "literal" in segment ? segment.literal === given[index] : given[index] !== "",
  );

const allowedMethods = (routes: ReadonlyMap<string, unknown>): readonly string[] =>
  [...routes.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));

function decodeParameters(
  segments: readonly Segment[],
  given: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    segments.flatMap((segment, index) =>
      "parameter" in segment
        ? [[segment.parameter, decodeSegment(segment.parameter, given[index] ?? "")]]
        : [],
    ),
  );
}

function decodeSegment(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidArgument(name, "is not encoded as a path must be");
  }
}
