// What a short-lived program needs to ask one thing: the host that runs here, and its operations without a check of their shapes.
export {
  type DiscoveredHost,
  discoverHost,
  type DiscoveryOptions,
  runDirectoryOf,
} from "./discovery.ts";
export { type QuickCall, type QuickOptions, quickCaller } from "./quick-caller.ts";
export { execInDoubt, isInDoubt, neverArrived, runInDoubt } from "../exec-in-doubt.ts";
