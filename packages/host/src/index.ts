export { createHost, Host, type HostOptions, LOCAL_CALLER } from "./host.ts";
export type { Attachment } from "./operations/attachment.ts";
export type { CallContext } from "./operations/call-context.ts";
export type { Operations } from "./operations/operations.ts";
export type { Feed } from "./operations/feed.ts";
export type { HostFacts, TicketStore, TokenStore } from "./operations/handler.ts";
export { choosePtyDriver } from "./pty/choose-pty-driver.ts";
export {
  defaultLaunchPolicy,
  type LaunchPolicy,
  type LaunchRequest,
  type PreparedLaunch,
  prepareLaunch,
} from "./pty/launch.ts";
export { findLimits, type LimitsFinding } from "./pty/limits/limit-enforcement.ts";
export type * from "./pty/limits/program-limits.ts";
export type * from "./pty/pty.ts";
export {
  allowedShells,
  detectShell,
  machineProbe,
  type PlatformInfo,
  platformInfo,
  type Shell,
  type ShellProbe,
} from "./pty/shell-detection.ts";
export type { Recording, RecordingOptions } from "./recording/recording.ts";
export { Recordings, type RecordingsOptions, type RemovalResult } from "./recording/recordings.ts";
export { openSqliteReader, openSqliteStore } from "./store/sqlite-store.ts";
export type * from "./store/store.ts";
export type { TerminalLimits } from "./registry/create-limits.ts";
export type { ReaperPolicy, ReapReason } from "./registry/reaper.ts";
export {
  MAX_MAX_SESSIONS,
  MIN_MAX_SESSIONS,
} from "./transports/terminal-service/session-service.ts";
export type {
  DataCallback,
  DataHint,
  ExitCallback,
  SessionInfo,
  SessionOptions,
  TerminalSession,
} from "./transports/terminal-service/session.ts";
export type { SessionPty } from "./transports/terminal-service/session-pty.ts";
export {
  getTerminalService,
  TerminalService,
  type TerminalServiceOptions,
} from "./transports/terminal-service/terminal-service.ts";
export type { ContentPart, TerminalContent } from "./terminal/content.ts";
export type { CreateOptions } from "./terminal/launch-terminal.ts";
export type { FeedMessage, FeedOptions, TerminalSubscription } from "./terminal/subscription.ts";
export type { Terminal } from "./terminal/terminal.ts";
export type { TypeOptions } from "./terminal/input-writer.ts";
export { type Config, ConfigSchema, defaultConfig, type SettingName } from "./config/config.ts";
export { type Directories, findDirectories, ownDirectories } from "./config/directories.ts";
export { type ConfigSources, loadConfig, type LoadedConfig } from "./config/load-config.ts";
export { showConfig, type ShownSetting } from "./config/show-config.ts";
export type { Daemon } from "./daemon/daemon.ts";
export { Discovery, findDaemon } from "./daemon/discovery.ts";
export { checkRestart } from "./daemon/check-start.ts";
export { findKeeper, type FoundKeeper } from "./daemon/keeper-process.ts";
export { type DaemonOptions, startDaemon } from "./daemon/main.ts";
export { runDaemon } from "./daemon/run.ts";
export {
  readServeOptions,
  type ServeOptions,
  settingVariablesOf,
  writeServeOptions,
} from "./daemon/serve-options.ts";
export { stopDaemon } from "./daemon/stop-daemon.ts";
export type { McpServerOptions } from "./transports/mcp/create-mcp-server.ts";
export type { OperationCaller } from "./transports/mcp/operation-caller.ts";
export { serveMcpStdio } from "./transports/mcp/serve-mcp-stdio.ts";
