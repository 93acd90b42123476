import type { z } from "zod";
import type { ErrorCode } from "./error.ts";
import { ALL_SCOPES, CHANGERS } from "./operation.ts";
import {
  CAST_MEDIA_TYPE,
  type ExportFormat,
  ExportRecordingInput,
  ImportRecordingInput,
  ImportRecordingResult,
} from "./recording-exchange.ts";
import type { Scope } from "./scope.ts";

interface TransferBase {
  readonly summary: string;
  /** Everything beside the bytes; it travels in the URL. */
  readonly input: z.ZodType;
  /** Errors of its own, beside `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
  readonly scopes: readonly Scope[];
}

/** Answered with a stream of bytes. */
interface Download extends TransferBase {
  readonly direction: "download";
  readonly http: { readonly method: "GET"; readonly path: string };
  readonly mediaTypes: readonly string[];
}

/** Brings a stream of bytes. */
interface Upload extends TransferBase {
  readonly direction: "upload";
  readonly http: { readonly method: "POST"; readonly path: string; readonly status: 201 };
  readonly mediaTypes: readonly string[];
  readonly output: z.ZodType;
}

/** Bytes are streamed: no side holds all of them in memory. */
export type Transfer = Download | Upload;

/** Media type and file extension of each export format. */
export const EXPORT_FORMATS: Readonly<
  Record<ExportFormat, { readonly mediaType: string; readonly extension: string }>
> = {
  asciicast3: { mediaType: CAST_MEDIA_TYPE, extension: "cast" },
  asciicast2: { mediaType: CAST_MEDIA_TYPE, extension: "cast" },
  text: { mediaType: "text/plain; charset=utf-8", extension: "txt" },
  html: { mediaType: "text/html; charset=utf-8", extension: "html" },
  jsonLines: { mediaType: "application/x-ndjson", extension: "jsonl" },
  raw: { mediaType: "application/octet-stream", extension: "raw" },
};

/** Every transfer. */
export const TRANSFERS = {
  exportRecording: {
    summary: "Writes a recording down in another form.",
    input: ExportRecordingInput,
    errors: ["terminal_not_found"],
    scopes: ALL_SCOPES,
    direction: "download",
    http: { method: "GET", path: "/api/recordings/{id}/export" },
    mediaTypes: [...new Set(Object.values(EXPORT_FORMATS).map(({ mediaType }) => mediaType))],
  },
  importRecording: {
    summary: "Reads an asciicast of version 1, 2 or 3 as a terminal that has ended.",
    input: ImportRecordingInput,
    errors: ["recording_blocked"],
    scopes: CHANGERS,
    direction: "upload",
    http: { method: "POST", path: "/api/recordings", status: 201 },
    mediaTypes: [CAST_MEDIA_TYPE],
    output: ImportRecordingResult,
  },
} as const satisfies Readonly<Record<string, Transfer>>;

export type TransferName = keyof typeof TRANSFERS;
