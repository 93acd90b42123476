import { HostInfo } from "./host-info.ts";
import { StorageInfo } from "./storage.ts";
import type { EntityContract } from "./terminal-contract.ts";

/** The host as an entity that publishes events. */
export const HOST_ID = "host:local";

/** The events of the host; requests to it are operations. */
export const HostContract = {
  entityName: "Host",
  table: "host",
  storage: HostInfo,
  data: HostInfo,
  methods: {},
  events: {
    "storage.changed": {
      description: "The disk of the recordings is full, fails, runs low, or is well again.",
      payload: StorageInfo,
    },
  },
  references: [],
} as const satisfies EntityContract;
