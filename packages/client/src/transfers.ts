import {
  CAST_MEDIA_TYPE,
  type ExportRecordingInput,
  type ImportRecordingInput,
  ImportRecordingResult,
  MAX_IMPORT_BYTES,
  NacreError,
  parse,
  TRANSFERS,
} from "@nacre/contracts";
import type { CallOptions } from "./client.ts";
import { readAnswer } from "./failure.ts";
import { encodeQuery, fillPath, type HttpWire, readJson, requireSuccess } from "./http-wire.ts";

export interface ExportedRecording {
  readonly fileName: string;
  readonly contentType: string;
  /** Errors when the connection breaks, so that no part is taken for the whole. */
  readonly bytes: ReadableStream<Uint8Array>;
}

/** Streamed. */
export interface Transfers {
  /** Cancel the bytes if they are not read. */
  exportRecording(input: ExportRecordingInput, options?: CallOptions): Promise<ExportedRecording>;
  /** Creates an ended terminal; a `Blob`, or a stream where the wire can send one. */
  importRecording(
    input: ImportRecordingInput,
    cast: Blob | ReadableStream<Uint8Array>,
    options?: CallOptions,
  ): Promise<ImportRecordingResult>;
}

export const transfersOver = (wire: HttpWire): Transfers => ({
  exportRecording: async (input, options) => {
    const { http, input: schema } = TRANSFERS.exportRecording;
    const { path, rest } = fillPath(http.path, parse(schema, input));
    const { signal } = options ?? {};
    const response = await wire({ method: http.method, path: path + encodeQuery(rest), signal });
    const { headers, body } = await requireSuccess(response);
    return {
      fileName: fileNameIn(headers) ?? "recording",
      contentType: headers.get("content-type") ?? "application/octet-stream",
      bytes: body === null ? new Blob([]).stream() : toldStream(body, signal),
    };
  },
  importRecording: async (input, cast, options) => {
    const { http, input: schema } = TRANSFERS.importRecording;
    if (cast instanceof Blob && cast.size > MAX_IMPORT_BYTES) {
      const message = `the recording has more than ${MAX_IMPORT_BYTES} bytes`;
      throw new NacreError("payload_too_large", message);
    }
    const response = await wire({
      method: http.method,
      path: http.path + encodeQuery(parse(schema, input)),
      headers: { accept: "application/json", "content-type": CAST_MEDIA_TYPE },
      body: cast,
      signal: options?.signal,
    });
    return readAnswer(ImportRecordingResult, await readJson(await requireSuccess(response)));
  },
});

/** Never names a directory, whoever the host is. */
const fileNameIn = (headers: Headers): string | undefined =>
  /filename="([\w-][\w.-]*)"/.exec(headers.get("content-disposition") ?? "")?.[1];

/** Translates a broken connection into a NacreError. */
function toldStream(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (cause) {
          signal?.throwIfAborted();
          throw new NacreError("unavailable", "the connection broke within the recording", {
            cause,
          });
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is fetched before somebody reads.
    { highWaterMark: 0 },
  );
}
