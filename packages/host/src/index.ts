export { choosePtyDriver } from "./pty/choose-driver.ts";
export {
  defaultLaunchPolicy,
  type LaunchPolicy,
  type LaunchRequest,
  type PreparedLaunch,
  prepareLaunch,
} from "./pty/launch.ts";
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
export { Recordings, type RecordingsOptions, type Removed } from "./recording/recordings.ts";
export { openSqliteReader, openSqliteStore } from "./store/sqlite-store.ts";
export type * from "./store/store.ts";
