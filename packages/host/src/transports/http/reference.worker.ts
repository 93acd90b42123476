// In a worker: generating takes long enough to delay everybody else.
import { parentPort } from "node:worker_threads";
import { makeReference } from "./docs-page.ts";

parentPort?.postMessage(makeReference());
