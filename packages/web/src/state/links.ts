import { TerminalId } from "@nacre/contracts";

const PREFIX = "terminal:";

/** Undefined when it is not an id. */
export const idOfPath = (part: string): TerminalId | undefined =>
  TerminalId.safeParse(part.startsWith(PREFIX) ? part : PREFIX + part).data;

export const playerPath = (id: TerminalId): string => `/r/${id.slice(PREFIX.length)}`;

export const linkToTerminal = (id: TerminalId): string => linkTo(`/t/${id.slice(PREFIX.length)}`);

export function linkTo(path: string, query: Readonly<Record<string, string>> = {}): string {
  const details = new URLSearchParams(query).toString();
  return `#${path}${details === "" ? "" : `?${details}`}`;
}
