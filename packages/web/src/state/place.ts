import { signal } from "@preact/signals";
// Before the address is read: it takes the token out of it, and goes where the link leads.
import "./credential.ts";
import { linkTo } from "./links.ts";

/** Where a person is on the page, as the fragment of the address says it: a path, and details that a link keeps. */
export interface Place {
  /** Begins with `/`, such as `/t/a1`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Where we are now. */
export const place = signal<Place>(readPlace());

// The first tells of it at once: what is shown must not write into an address that is another's by now.
for (const kind of ["popstate", "hashchange"]) {
  addEventListener(kind, () => {
    place.value = readPlace();
  });
}

/** Goes to a place; with `replace` the way back leads past where we are now. */
export function go(
  path: string,
  query: Readonly<Record<string, string>> = {},
  { replace = false } = {},
): void {
  const link = linkTo(path, query);
  if (!replace) {
    location.hash = link;
    return;
  }
  history.replaceState(null, "", link);
  place.value = readPlace();
}

function readPlace(): Place {
  const [path = "", ...details] = location.hash.slice(1).split("?");
  return {
    path: path.startsWith("/") ? path : "/",
    query: new URLSearchParams(details.join("?")),
  };
}

/** The named parts of a path by a pattern such as `/t/:id`; undefined when the path is another. */
export function matchPath(
  pattern: string,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const text = given[at] ?? "";
    if (part.startsWith(":")) found[part.slice(1)] = decoded(text);
    else if (part !== text) return undefined;
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not everything that can be typed into an address is well formed; it then names nothing.
    return text;
  }
}
