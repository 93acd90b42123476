import { request } from "node:http";
import { neverArrived } from "@nacre/client/quick";

/** A running daemon answers in a moment, even a busy one. */
const MAX_WAIT_MS = 5000;

const OK = 200;

export const isReady = async (socketPath: string): Promise<boolean> =>
  (await probeDaemon(socketPath)) === "ready";

/** `gone`: nobody listens there. */
export function probeDaemon(socketPath: string): Promise<"ready" | "hangs" | "gone"> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: "/healthz", timeout: MAX_WAIT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === OK ? "ready" : "hangs");
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", (error) => resolve(neverArrived(error) ? "gone" : "hangs"));
    asked.on("close", () => resolve("hangs"));
    asked.end();
  });
}
