export * from "./audit.ts";
export { MAX_TITLE_LENGTH } from "./bounded-text.ts";
export * from "./bytes.ts";
export * from "./caller.ts";
export * from "./claim.ts";
export * from "./claim-requests.ts";
export * from "./input-requests.ts";
export {
  Command,
  CommandDurationMs,
  CommandEndedBy,
  CommandLine,
  CommandQuality,
  MAX_COMMAND_LINE_LENGTH,
  SignalName,
} from "./command.ts";
export * from "./command-list.ts";
export * from "./create-terminal.ts";
export * from "./dispose-terminals.ts";
export * from "./entity-event.ts";
export {
  ClaimReason,
  GapReason,
  LengthBucket,
  lengthBucketOf,
  MAX_ENTRY_BYTES,
} from "./entry-fields.ts";
export * from "./error.ts";
export * from "./nacre-error.ts";
export * from "./error-body.ts";
export * from "./host-contract.ts";
export * from "./host-info.ts";
export * from "./ids.ts";
export * from "./operations.ts";
export {
  DEFAULT_EXCERPT_BYTES,
  DEFAULT_OUTPUT_BYTES,
  MAX_OUTPUT_BYTES,
  MAX_WAIT_MS,
  OutputExcerpt,
  OutputPage,
  OutputPosition,
  ReadOutputInput,
} from "./output.ts";
export * from "./owner-filter.ts";
export * from "./parse.ts";
export * from "./program-limits.ts";
export * from "./recording-entry.ts";
export * from "./recording-exchange.ts";
export * from "./recording-list.ts";
export * from "./recording-page.ts";
export * from "./recording-retention.ts";
export * from "./recording-timeline.ts";
export * from "./recording-verdict.ts";
export * from "./run-command.ts";
export * from "./scope.ts";
export * from "./screen.ts";
export * from "./search.ts";
export * from "./send-input.ts";
export * from "./sequence.ts";
export * from "./side-limit.ts";
export * from "./size.ts";
export * from "./subscriptions.ts";
export * from "./storage.ts";
export * from "./terminal.ts";
export * from "./terminal-contract.ts";
export * from "./terminal-ending.ts";
export * from "./terminal-input.ts";
export {
  DEFAULT_LIST_LENGTH,
  ListTerminalsInput,
  MAX_LIST_LENGTH,
  TerminalList,
} from "./terminal-list.ts";
export * from "./terminal-names.ts";
export * from "./terminal-requests.ts";
export * from "./terminal-state.ts";
export * from "./terminal-summary.ts";
export * from "./ticket.ts";
export * from "./timestamp.ts";
export * from "./token.ts";
export * from "./transfers.ts";
export * from "./wait.ts";
