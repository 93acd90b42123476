/** How text is marked for people; without colours every method gives back what it got. */
export interface Style {
  readonly isColored: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** What decides about colours. */
export interface ColorQuestion {
  /** The value of `--color`. */
  readonly when: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** The option decides, then NO_COLOR, then CLICOLOR_FORCE, then whether a terminal is there to show them. */
export function wantsColor({ when = "auto", env, isTerminal }: ColorQuestion): boolean {
  if (when !== "auto") return when === "always";
  if (env["NO_COLOR"]) return false;
  const forced = env["CLICOLOR_FORCE"];
  if (forced !== undefined && forced !== "" && forced !== "0") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

/** Marks text with colours, or leaves it alone. */
export function createStyle(isColored: boolean): Style {
  const mark = (on: number, off: number) => (text: string) =>
    isColored && text !== "" ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  return {
    isColored,
    bold: mark(1, 22),
    dim: mark(2, 22),
    red: mark(31, 39),
    green: mark(32, 39),
    yellow: mark(33, 39),
    cyan: mark(36, 39),
  };
}
