export * from "./connect-local.ts";
export { type DiscoveredHost, discoverHost, type DiscoveryOptions } from "./discovery.ts";
