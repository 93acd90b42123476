import type { Hmac } from "node:crypto";
import type { TerminalId } from "@nacre/contracts";
import type { AuditDigest } from "./audit-facts.ts";
import type { AuditTrail } from "./audit-trail.ts";
import type { CallContext } from "./call-context.ts";

/** Typing comes key by key; one record a second says as much. */
const BATCH_MS = 1000;

interface Batch {
  writes: number;
  bytes: number;
  readonly digest: Hmac;
  isRedacted: boolean;
  resizes: number;
  refused: number;
  error: unknown;
}

export interface InputAuditOptions {
  readonly trail: AuditTrail;
  readonly digest: AuditDigest;
  readonly terminalId: TerminalId;
  readonly context: CallContext;
  readonly batchMs?: number;
}

/** Of one attachment, at most one record a second. */
export class InputAudit implements Disposable {
  readonly #options: InputAuditOptions;
  #batch: Batch | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: InputAuditOptions) {
    this.#options = options;
  }

  /** Of withheld input neither length nor number of keys is recorded. */
  recordTyped(bytes: Uint8Array, isWithheld: boolean): void {
    const batch = this.#open();
    if (isWithheld) {
      batch.isRedacted = true;
      return;
    }
    batch.writes += 1;
    batch.bytes += bytes.byteLength;
    batch.digest.update(bytes);
  }

  recordResize(): void {
    this.#open().resizes += 1;
  }

  recordRefusal(error: unknown): void {
    const batch = this.#open();
    batch.refused += 1;
    batch.error = error;
  }

  [Symbol.dispose](): void {
    this.#flush();
  }

  #open(): Batch {
    const { batchMs = BATCH_MS, digest } = this.#options;
    this.#timer ??= setTimeout(() => this.#flush(), batchMs).unref();
    this.#batch ??= {
      writes: 0,
      bytes: 0,
      digest: digest.begin(),
      isRedacted: false,
      resizes: 0,
      refused: 0,
      error: undefined,
    };
    return this.#batch;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    this.#batch = undefined;
    if (!batch) return;
    const { trail, terminalId, context } = this.#options;
    const { writes, bytes, isRedacted, resizes, refused } = batch;
    const isDone = writes > 0 || isRedacted || resizes > 0;
    const facts = {
      ...(writes === 0 ? {} : { writes, bytes, digest: batch.digest.digest("hex") }),
      ...(isRedacted ? { redacted: true } : {}),
      ...(resizes === 0 ? {} : { resizes }),
      ...(refused === 0 ? {} : { refused }),
    };
    const error = isDone ? undefined : batch.error;
    void trail.note({ action: "sendInput", terminalId, facts, error }, context);
  }
}
