import {
  EXPORT_FORMATS,
  type ExportRecordingInput,
  type ImportRecordingInput,
  type ImportRecordingResult,
  MAX_IMPORT_BYTES,
  NacreError,
  parse,
  type TerminalId,
  type TransferName,
  TRANSFERS,
} from "@nacre/contracts";
import { requireScope } from "../auth/auth-context.ts";
import { terminalNotFound } from "../registry/registry.ts";
import { type Access, resolveLaunchPlace } from "./access.ts";
import { AuditedRequest, type AuditTrail } from "./audit-trail.ts";
import { type CallContext, requesterOf } from "./call-context.ts";
import type { OperationsDeps } from "./handler.ts";

/** Each large import occupies a file and the disk. */
const MAX_LARGE_AT_ONCE = 2;

/** Smaller ones are done before it matters. */
const LARGE_BYTES = 1024 * 1024;

/** Pulled at the caller's pace. */
export interface RecordingExport {
  readonly fileName: string;
  readonly mediaType: string;
  readonly pieces: AsyncGenerator<Uint8Array<ArrayBuffer>>;
}

interface TransfersDeps extends Pick<OperationsDeps, "registry"> {
  readonly access: Access;
  readonly trail: AuditTrail;
}

/** Parsed, authorised, executed and audited like operations. */
export class Transfers {
  readonly #deps: TransfersDeps;
  #largeCount = 0;

  constructor(deps: TransfersDeps) {
    this.#deps = deps;
  }

  async exportRecording(input: unknown, context: CallContext): Promise<RecordingExport> {
    const request = new AuditedRequest("exportRecording", input);
    try {
      const asked = await this.#admit<ExportRecordingInput>("exportRecording", input, context);
      request.isAdmitted = true;
      const { id: terminalId, format = "asciicast3", view = "stripped", ...how } = asked;
      const { registry } = this.#deps;
      if (!(await registry.findRow(terminalId))) throw terminalNotFound(terminalId);
      const { mediaType, extension } = EXPORT_FORMATS[format];
      return {
        fileName: `${fileNameOf(terminalId)}.${extension}`,
        mediaType,
        pieces: registry.recordings.export({ ...how, terminalId, format, view }),
      };
    } catch (error) {
      if (request.isRefused(error)) await this.#deps.trail.note(request.toAction(error), context);
      throw error;
    }
  }

  /** Kept only if all of it was valid. */
  async importRecording(
    input: unknown,
    pieces: AsyncIterable<Uint8Array>,
    context: CallContext,
  ): Promise<ImportRecordingResult> {
    const { registry, trail } = this.#deps;
    const request = new AuditedRequest("importRecording", input);
    using turn = new DisposableStack();
    const told = {
      large: () => void turn.use(this.#acquireSlot()),
      end: (bytes: number) => request.note({ bytes }),
    };
    try {
      const asked = await this.#admit<ImportRecordingInput>("importRecording", input, context);
      request.isAdmitted = true;
      const place = await resolveLaunchPlace(context.caller, asked, registry);
      const { id, entries } = await registry.import(
        { ...place, pieces: limitBytes(pieces, told), whole: true },
        requesterOf(context),
      );
      request.terminalId = id;
      request.note({ entries });
      await trail.note(request.toAction(), context);
      return { id, entries };
    } catch (error) {
      await trail.note(request.toAction(error), context);
      throw error;
    }
  }

  async #admit<Input extends object>(
    name: TransferName,
    input: unknown,
    { caller }: CallContext,
  ): Promise<Input> {
    const { scopes, input: schema } = TRANSFERS[name];
    requireScope(scopes, caller, name);
    // The schema of this name yields inputs of this name.
    const parsed = parse(schema, input) as Input;
    await this.#deps.access.requireAll(parsed, caller);
    return parsed;
  }

  #acquireSlot(): Disposable {
    if (this.#largeCount >= MAX_LARGE_AT_ONCE) {
      throw new NacreError("limit_reached", `${this.#largeCount} recordings are being imported`, {
        suggestion: "Wait until one of them is done, and try again.",
      });
    }
    this.#largeCount += 1;
    return { [Symbol.dispose]: () => void (this.#largeCount -= 1) };
  }
}

/** An id may contain characters that file names must not. */
const fileNameOf = (id: TerminalId): string => id.replaceAll(/[^A-Za-z0-9_-]+/g, "-");

interface TransferListener {
  /** There are many bytes; throwing ends the transfer. */
  large(): void;
  /** The number of bytes that came. */
  end(bytes: number): void;
}

/** Throws beyond the limit. */
async function* limitBytes(
  pieces: AsyncIterable<Uint8Array>,
  told: TransferListener,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let isLarge = false;
  try {
    for await (const piece of pieces) {
      bytes += piece.byteLength;
      if (bytes > MAX_IMPORT_BYTES) throw importTooLarge();
      if (bytes > LARGE_BYTES && !isLarge) told.large();
      isLarge = bytes > LARGE_BYTES;
      yield piece;
    }
  } finally {
    told.end(bytes);
  }
}

export const importTooLarge = (): NacreError =>
  new NacreError("payload_too_large", `the recording has more than ${MAX_IMPORT_BYTES} bytes`);
