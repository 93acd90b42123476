import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { type HttpReply, PAGE_POLICY, textReply } from "./reply.ts";

/** One file of the page, ready to be sent. */
export interface PageFile {
  readonly path: string;
  readonly reply: HttpReply;
}

/** What the page was built into, beside the sources and beside what is built of them. */
const DIRECTORY = new URL("../../../page/", import.meta.url);

const INDEX_FILE = "index.html";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** What a checkout serves whose page was not built yet. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
  <title>Nacre</title>
  <p>The page was not built yet. <code>npm start</code> does it; the interface is at <a href="/docs">/docs</a>.</p>
</html>
`;

/** An answer with a page that people look at. */
export const pageReply = (body: string | Uint8Array, type: string): HttpReply =>
  textReply(type, body, { "content-security-policy": PAGE_POLICY });

/** Loads the page once; it changes only with the host, and nothing but these files can ever be asked for. */
export function loadPage(directory = DIRECTORY): readonly PageFile[] {
  if (!existsSync(new URL(INDEX_FILE, directory))) {
    return [{ path: "/", reply: pageReply(NOT_BUILT, "text/html; charset=utf-8") }];
  }
  const files = readdirSync(directory).toSorted((one, other) => (one < other ? -1 : 1));
  return files.flatMap((file) => {
    const type = MEDIA_TYPES[extname(file)];
    if (type === undefined) return [];
    const path = file === INDEX_FILE ? "/" : `/${file}`;
    return [{ path, reply: pageReply(readFileSync(new URL(file, directory)), type) }];
  });
}
