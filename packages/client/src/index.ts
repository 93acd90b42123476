export * from "./client.ts";
export { connect, type ConnectOptions, type Feeds, type NacreClient } from "./connect.ts";
export type { EventsOptions } from "./events.ts";
export type { FeedOptions } from "./feed.ts";
export type { ConnectionState, FollowOptions } from "./follow.ts";
export type { Following } from "./following.ts";
export { OpenTerminal, type OpenOptions } from "./open-terminal.ts";
export type { Clock } from "./reconnect.ts";
export type { TerminalMessage } from "./terminal-message.ts";
