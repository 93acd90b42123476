import { signal } from "@preact/signals";
// Imported first: it removes the token from the address before that is read.
import "./credential.ts";
import { linkTo } from "./links.ts";

/** The fragment as a path with a query. */
export interface Place {
  /** Begins with `/`, such as `/t/a1`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export const place = signal<Place>(readPlace());

// popstate comes first: a view must not write into an address that is another's by now.
for (const kind of ["popstate", "hashchange"]) {
  addEventListener(kind, () => {
    place.value = readPlace();
  });
}

/** `replace` keeps no history entry. */
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

/** By a pattern such as `/t/:id`; undefined when it does not match. */
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
    // Malformed escapes name nothing.
    return text;
  }
}
