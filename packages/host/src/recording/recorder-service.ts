import type { MessagePort } from "node:worker_threads";
import { NacreError } from "@nacre/contracts";
import { Recorder, type RecorderOptions } from "./recorder.ts";
import { buffersOf } from "./thread.ts";
import type { RecorderReport, Write, WriteProblem } from "./write.ts";

/** What the recorder is told. */
export type RecorderRequest =
  | { readonly kind: "writes"; readonly writes: readonly Write[] }
  | { readonly kind: "close" };

/** What the recorder tells; the first is `ready` or `refused`, the last `closed`. */
export type RecorderMessage =
  | RecorderReport
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly problem: WriteProblem }
  | { readonly kind: "closed" };

/** What a recorder behind a port needs. */
export interface RecorderServiceOptions extends Omit<RecorderOptions, "report"> {
  /** What works on the same files and ends before the store is closed. */
  readonly helper?: AsyncDisposable;
}

/** Runs a recorder behind a port until it is told to close. */
export function serveRecorder(port: MessagePort, options: RecorderServiceOptions): void {
  const post = (message: RecorderMessage): void => port.postMessage(message, transferOf(message));
  try {
    const recorder = new Recorder({ ...options, report: post });
    const close = async (): Promise<void> => {
      await options.helper?.[Symbol.asyncDispose]();
      recorder[Symbol.dispose]();
      post({ kind: "closed" });
      port.close();
    };
    port.on("message", (request: RecorderRequest) => {
      if (request.kind === "writes") recorder.push(request.writes);
      else void close();
    });
    post({ kind: "ready" });
  } catch (error) {
    const { code, suggestion } =
      error instanceof NacreError ? error : { code: "unavailable" as const, suggestion: undefined };
    post({ kind: "refused", problem: { code, message: describeError(error), suggestion } });
    port.close();
  }
}

const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The bytes that were written go back to their sender. */
function transferOf(message: RecorderMessage): ReturnType<typeof buffersOf> {
  if (message.kind !== "settled") return [];
  return buffersOf([...message.done, ...message.failed].map(({ data }) => data));
}
