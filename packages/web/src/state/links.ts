import { TerminalId } from "@nacre/contracts";

const PREFIX = "terminal:";

/** The id that a part of a path stands for; undefined when it stands for none. */
export const idOfPath = (part: string): TerminalId | undefined =>
  TerminalId.safeParse(part.startsWith(PREFIX) ? part : PREFIX + part).data;

/** The path of the player of a recording. */
export const playerPath = (id: TerminalId): string => `/r/${id.slice(PREFIX.length)}`;

/** The link to the terminal itself. */
export const linkToTerminal = (id: TerminalId): string => linkTo(`/t/${id.slice(PREFIX.length)}`);

/** The address of a place, to link to. */
export function linkTo(path: string, query: Readonly<Record<string, string>> = {}): string {
  const details = new URLSearchParams(query).toString();
  return `#${path}${details === "" ? "" : `?${details}`}`;
}
