import { once } from "node:events";
import { startThread, workerFile } from "../../base/worker.ts";
import type { ApiReference } from "./docs-page.ts";
import { pageReply } from "./page.ts";
import { type HttpReply, textReply } from "./reply.ts";

/** Shared bytes for everybody. */
interface ReferenceReplies {
  readonly openApi: HttpReply;
  readonly docs: HttpReply;
}

let replies: Promise<ReferenceReplies> | undefined;

export const openApiReply = async (): Promise<HttpReply> => (await loadReplies()).openApi;

export const docsReply = async (): Promise<HttpReply> => (await loadReplies()).docs;

/** Made on first use and cached; a failure is not. */
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
  const worker = startThread(workerFile("transports/http/reference.worker"), { env: {} });
  // Listened to at once, so that a failure is not missed.
  const [made] = (await once(worker, "message")) as [ApiReference];
  return made;
}
