import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Reference } from "./make-reference.ts";
import { pageReply } from "./page.ts";
import { type Reply, textReply } from "./reply.ts";

/** The sources run as they are; in a build, the same files end differently. */
const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

let reference: Promise<Reference> | undefined;

/** The OpenAPI document. */
export const openApiReply = async (): Promise<Reply> =>
  textReply("application/json; charset=utf-8", (await referenceOnce()).openApi);

/** The page about the interface. */
export const docsReply = async (): Promise<Reply> =>
  pageReply((await referenceOnce()).docs, "text/html; charset=utf-8");

/** Made when somebody asks first, and kept; a failure is not. */
function referenceOnce(): Promise<Reference> {
  reference ??= startReference().catch((error: unknown) => {
    reference = undefined;
    throw error;
  });
  return reference;
}

async function startReference(): Promise<Reference> {
  const worker = new Worker(new URL(`./reference.worker${EXTENSION}`, import.meta.url), {
    execArgv: EXTENSION === ".ts" ? ["--conditions=nacre-source"] : [],
    env: {},
  });
  // Listened to at once, so that a failure is not missed.
  const [made] = (await once(worker, "message")) as [Reference];
  return made;
}
