import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ApiReference } from "./docs-page.ts";
import { pageReply } from "./page.ts";
import { type HttpReply, textReply } from "./reply.ts";

/** The sources run as they are; in a build, the same files end differently. */
const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/** Both answers. Everybody gets the same bytes: answers that wait to be read share them. */
interface ReferenceReplies {
  readonly openApi: HttpReply;
  readonly docs: HttpReply;
}

let replies: Promise<ReferenceReplies> | undefined;

/** The OpenAPI document. */
export const openApiReply = async (): Promise<HttpReply> => (await loadReplies()).openApi;

/** The page about the interface. */
export const docsReply = async (): Promise<HttpReply> => (await loadReplies()).docs;

/** Made when somebody asks first, and kept; a failure is not. */
function loadReplies(): Promise<ReferenceReplies> {
  replies ??= runReferenceWorker().then(
    ({ openApi, docs }) => ({
      openApi: textReply("application/json; charset=utf-8", Buffer.from(openApi)),
      docs: pageReply(Buffer.from(docs), "text/html; charset=utf-8"),
    }),
    (error: unknown) => {
      replies = undefined;
      throw error;
    },
  );
  return replies;
}

async function runReferenceWorker(): Promise<ApiReference> {
  const worker = new Worker(new URL(`./reference.worker${EXTENSION}`, import.meta.url), {
    execArgv: EXTENSION === ".ts" ? ["--conditions=nacre-source"] : [],
    env: {},
  });
  // Listened to at once, so that a failure is not missed.
  const [made] = (await once(worker, "message")) as [ApiReference];
  return made;
}
