// Makes the reference in a thread of its own: it takes long enough to be noticed by everybody else.
import { parentPort } from "node:worker_threads";
import { makeReference } from "./docs-page.ts";

parentPort?.postMessage(makeReference());
