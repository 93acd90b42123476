import { request } from "node:http";

/** A daemon that runs answers in a moment, even a busy one. */
const MAX_WAIT_MS = 5000;

const OK = 200;

/** Asks a daemon over its socket whether it answers. */
export function isReady(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: "/healthz", timeout: MAX_WAIT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === OK);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    asked.on("close", () => resolve(false));
    asked.end();
  });
}
