import { readFileSync } from "node:fs";
import { type Reply, textReply } from "./reply.ts";
import { PAGE_POLICY } from "./security-headers.ts";

/** One file of the page, ready to be sent. */
export interface PageFile {
  readonly path: string;
  readonly reply: Reply;
}

/** The files of the page beside the sources, where they are both in a checkout and in the package. */
const DIRECTORY = new URL(
  import.meta.url.endsWith(".ts") ? "./page/" : "../../../src/transports/http/page/",
  import.meta.url,
);

const FILES = [
  { path: "/", file: "index.html", type: "text/html; charset=utf-8" },
  { path: "/app.js", file: "app.js", type: "text/javascript; charset=utf-8" },
  { path: "/app.css", file: "app.css", type: "text/css; charset=utf-8" },
] as const;

/** An answer with a page that people look at. */
export const pageReply = (body: string | Uint8Array, type: string): Reply =>
  textReply(type, body, { "content-security-policy": PAGE_POLICY });

/** Loads the page once; it changes only with the host. */
export const loadPage = (): readonly PageFile[] =>
  FILES.map(({ path, file, type }) => ({
    path,
    reply: pageReply(readFileSync(new URL(file, DIRECTORY)), type),
  }));
