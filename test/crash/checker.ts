// Looks at stores when it is asked to, in a process of its own.
import { type LookOptions, lookAtStore } from "./look-at-store.ts";

process.on("message", (options: LookOptions) => process.send?.(lookAtStore(options)));
