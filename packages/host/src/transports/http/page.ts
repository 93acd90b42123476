import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { type HttpReply, PAGE_POLICY, textReply } from "./reply.ts";

export interface PageFile {
  readonly path: string;
  readonly reply: HttpReply;
}

/** Beside src and the build output. */
const DIRECTORY = new URL("../../../page/", import.meta.url);

const INDEX_FILE = "index.html";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Served by a checkout without a built page. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
  <title>Nacre</title>
  <p>The page was not built yet. <code>npm start</code> does it; the interface is at <a href="/docs">/docs</a>.</p>
</html>
`;

export const pageReply = (body: string | Uint8Array, type: string): HttpReply =>
  textReply(type, body, { "content-security-policy": PAGE_POLICY });

/** Loaded once; only these files can be requested. */
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
