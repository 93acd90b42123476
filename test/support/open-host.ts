import { createHost, type Host, type HostOptions } from "@nacre/host";
import { ownDirectory } from "./own-directory.ts";

/** A host whose store is on disk; everything goes with it. */
export async function openHost(options: HostOptions = {}): Promise<Host & AsyncDisposable> {
  const own = ownDirectory();
  const host = await createHost({ directory: own.path, ...options });
  const dispose = host[Symbol.asyncDispose].bind(host);
  return Object.assign(host, {
    [Symbol.asyncDispose]: async () => {
      await dispose();
      own[Symbol.dispose]();
    },
  });
}
