export * from "./audit.ts";
export { MAX_TITLE_LENGTH } from "./bounded-text.ts";
export * from "./bytes.ts";
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
export { OwnerFilter } from "./page.ts";
export * from "./parse.ts";
export {
  LimitReached,
  LimitsInForce,
  MarkerLabel,
  ProgramLimits,
  TerminalTitle,
} from "./launch-fields.ts";
export * from "./recording-entry.ts";
export * from "./recording-exchange.ts";
export * from "./recording-list.ts";
export * from "./recording-page.ts";
export * from "./recording-retention.ts";
export * from "./run-command.ts";
export * from "./scope.ts";
export * from "./screen.ts";
export * from "./search.ts";
export * from "./send-input.ts";
export * from "./side-limit.ts";
export * from "./size.ts";
export * from "./subscriptions.ts";
export * from "./storage.ts";
export * from "./terminal.ts";
export * from "./terminal-contract.ts";
export {
  DisposeTerminalsInput,
  DisposeTerminalsResult,
  KillReport,
  KillTerminalInput,
  SignalTarget,
  SignalTerminalInput,
} from "./terminal-ending.ts";
export * from "./terminal-input.ts";
export {
  DEFAULT_LIST_LENGTH,
  ListTerminalsInput,
  MAX_LIST_LENGTH,
  TerminalList,
  TerminalSummary,
} from "./terminal-list.ts";
export * from "./terminal-requests.ts";
export * from "./terminal-state.ts";
export * from "./token.ts";
export * from "./transfers.ts";
export * from "./wait.ts";
