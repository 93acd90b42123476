import type { IncomingMessage } from "node:http";
import { splitTarget } from "./gate.ts";
import { isBearerProtocol, isSecretQuery } from "./presented.ts";

/** Takes every credential out of a request that was let in, so that nothing behind the gate can log or echo one. */
export function stripCredentials(request: IncomingMessage, upgrade: boolean): void {
  delete request.headers.authorization;
  const { rawHeaders } = request;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name === "authorization") rawHeaders[index + 1] = "";
    if (name === "sec-websocket-protocol") rawHeaders[index + 1] = "";
  }
  // Without the credential among them, no transport can select it as the protocol.
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim());
  const left = offered?.filter((protocol) => !isBearerProtocol(protocol)).join(", ");
  if (left === undefined || left === "") delete request.headers["sec-websocket-protocol"];
  else request.headers["sec-websocket-protocol"] = left;
  request.url = stripSecretQuery(request.url ?? "/", upgrade);
}

function stripSecretQuery(target: string, upgrade: boolean): string {
  const { path, query } = splitTarget(target);
  if (query === "") return target;
  const kept = query.split("&").filter((pair) => {
    const [name] = new URLSearchParams(pair).keys();
    return name === undefined || !isSecretQuery(name, { path, upgrade });
  });
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`;
}
