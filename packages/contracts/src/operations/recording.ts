import { ALL_SCOPES, type OperationTable, OPERATOR } from "../operation.ts";
import {
  DeleteRecordingInput,
  DeleteRecordingResult,
  ListRecordingsInput,
  RecordingList,
} from "../recording-list.ts";
import {
  FindRecordingEntriesInput,
  ReadTimelineInput,
  RecordingTimeline,
  TerminalRecordingEntryCollectionSchema,
} from "../recording-page.ts";
import {
  PruneRecordingsInput,
  PruneRecordingsResult,
  RecordingVerdict,
  VerifyRecordingInput,
} from "../recording-retention.ts";
import { SearchQuery, SearchResult } from "../search.ts";

export const RECORDING_OPERATIONS = {
  findRecordingEntries: {
    summary: "Finds entries of a recording by type, page by page, in order of sequence.",
    input: FindRecordingEntriesInput,
    output: TerminalRecordingEntryCollectionSchema,
    errors: ["terminal_not_found", "recording_not_found"],
    http: { method: "GET", path: "/api/terminals/{terminalId}/recording", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  searchRecordings: {
    summary: "Finds text in all recordings the caller may read, newest first.",
    input: SearchQuery,
    output: SearchResult,
    errors: ["terminal_not_found", "timeout"],
    http: { method: "GET", path: "/api/search", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  listRecordings: {
    summary: "Lists the recordings there are, of live and ended terminals, page by page.",
    input: ListRecordingsInput,
    output: RecordingList,
    errors: [],
    http: { method: "GET", path: "/api/recordings", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  readTimeline: {
    summary: "Reads how long a recording is, and which entry belongs to which moment.",
    input: ReadTimelineInput,
    output: RecordingTimeline,
    errors: ["terminal_not_found"],
    http: { method: "GET", path: "/api/recordings/{id}/timeline", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  verifyRecording: {
    summary: "Proves that a recording is what was recorded, or finds the first entry that is not.",
    input: VerifyRecordingInput,
    output: RecordingVerdict,
    errors: ["terminal_not_found"],
    http: { method: "GET", path: "/api/recordings/{id}/verdict", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  pruneRecordings: {
    summary: "Removes what is beyond limits from all recordings, or says what that would be.",
    input: PruneRecordingsInput,
    output: PruneRecordingsResult,
    errors: [],
    http: { method: "POST", path: "/api/recordings/prune", status: 200 },
    scopes: OPERATOR,
    mutates: true,
  },
  deleteRecording: {
    summary: "Ends a terminal if it still runs and removes it with its recording.",
    input: DeleteRecordingInput,
    output: DeleteRecordingResult,
    errors: ["terminal_not_found", "claim_held"],
    http: { method: "DELETE", path: "/api/recordings/{id}", status: 200 },
    scopes: OPERATOR,
    mutates: true,
  },
} as const satisfies OperationTable;
