export * from "./client.ts";
export { connect, type ConnectOptions, type Feeds, type NacreClient } from "./connect.ts";
export type { EventsOptions } from "./events.ts";
export type { FeedOptions } from "./feed.ts";
export type { Clock, ConnectionState, Following, FollowOptions } from "./follow.ts";
export { OpenTerminal, type OpenOptions } from "./open-terminal.ts";
export type { TerminalMessage } from "./terminal-message.ts";
export type { ExportedRecording, Transfers } from "./transfers.ts";
