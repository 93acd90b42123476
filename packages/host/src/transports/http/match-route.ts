import { NacreError } from "@nacre/contracts";

/** Where a request may go: a path whose segments are literal or `{name}`. */
export interface Addressed {
  readonly method: string;
  readonly path: string;
}

/** A route that was found, with what stands in its path. */
interface Found<Route> {
  readonly kind: "found";
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What becomes of a request line: a route, a known path with other methods, or nothing. */
export type Match<Route> =
  | Found<Route>
  | { readonly kind: "otherMethod"; readonly allow: readonly string[] }
  | { readonly kind: "unknown" };

interface Template<Route> {
  readonly segments: readonly Segment[];
  readonly routes: Map<string, Route>;
}

type Segment = { readonly literal: string } | { readonly parameter: string };

/** Finds routes by comparing segments; takes as long as the table and the path are, whatever is in them. */
export class RouteMatcher<Route extends Addressed> {
  readonly #templates: readonly Template<Route>[];

  constructor(routes: readonly Route[]) {
    const byPath = new Map<string, Template<Route>>();
    for (const route of routes) {
      const known = byPath.get(route.path);
      const template = known ?? { segments: segmentsOf(route.path), routes: new Map() };
      if (template.routes.has(route.method)) {
        throw new Error(`two routes are ${route.method} ${route.path}`);
      }
      template.routes.set(route.method, route);
      byPath.set(route.path, template);
    }
    // A literal segment wins over a parameter in the same place.
    this.#templates = [...byPath.values()].toSorted(
      (left, right) => parameterCount(left) - parameterCount(right),
    );
  }

  /** Finds the route of a request; HEAD is answered where GET is. */
  match(method: string, path: string): Match<Route> {
    const given = path.split("/").slice(1);
    for (const { segments, routes } of this.#templates) {
      if (!fits(segments, given)) continue;
      const route = routes.get(method) ?? (method === "HEAD" ? routes.get("GET") : undefined);
      if (route === undefined) return { kind: "otherMethod", allow: allowed(routes) };
      return { kind: "found", route, parameters: parametersOf(segments, given) };
    }
    return { kind: "unknown" };
  }
}

const segmentsOf = (path: string): readonly Segment[] =>
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

const fits = (segments: readonly Segment[], given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, index) =>
    "literal" in segment ? segment.literal === given[index] : given[index] !== "",
  );

const allowed = (routes: ReadonlyMap<string, unknown>): readonly string[] =>
  [...routes.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));

function parametersOf(
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
    throw new NacreError("invalid_argument", `${name}: is not encoded as a path must be`, {
      field: name,
    });
  }
}
