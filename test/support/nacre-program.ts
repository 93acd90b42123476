import { join } from "node:path";
import { endKeeper } from "../../packages/host/src/keeper/testing/end-keeper.ts";
import { KEPT_CODE } from "../../packages/host/src/testing/kept-code.ts";
import { programOf } from "../../packages/host/src/testing/program-of.ts";
import { ownDirectory } from "./own-directory.ts";

/** What Node is given to run `nacre`. */
export const NACRE = programOf(join(import.meta.dirname, "../../packages/cli/src/main.ts"));

/** The environment of programs that live in a home of their own. */
export const environmentOf = (home: string): Record<string, string> => ({
  ...KEPT_CODE,
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  NACRE_HOME: home,
  NACRE_PORT: "0",
  NACRE_ALLOW_ROOT: "true",
});

/** A home for `nacre`; disposing ends the keeper that was started in it and removes it. */
export function makeHome(): { readonly path: string } & AsyncDisposable {
  const own = ownDirectory();
  return {
    path: own.path,
    [Symbol.asyncDispose]: async () => {
      await endKeeper(own.path);
      own[Symbol.dispose]();
    },
  };
}
