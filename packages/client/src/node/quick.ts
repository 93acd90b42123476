// For short-lived programs: discovery, and operations without validation.
export {
  type DiscoveredHost,
  discoverHost,
  type DiscoveryOptions,
  runDirectoryOf,
} from "./discovery.ts";
export { type QuickCall, type QuickOptions, quickCaller } from "./quick-caller.ts";
export { execInDoubt, isInDoubt, neverArrived, runInDoubt } from "../exec-in-doubt.ts";
