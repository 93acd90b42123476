import type { InputNeededKind } from "@nacre/contracts";

/** What can be done next where nothing can be recorded. */
export const BLOCKED_SUGGESTION =
  "Tell a person what recording_blocked says. terminal_keys with C-c still ends what runs; do not run the command again, it may go on by itself.";

/** What can be done next with a program that runs, by what it waits for. */
export function suggestNext(needed?: InputNeededKind): string {
  switch (needed) {
    case "secret":
      return "It asks for a secret: terminal_request_input asks a person to type it. Do not type it yourself.";
    case "line":
      return "It asks for a line: terminal_write with submit answers.";
    case "key":
      return "It asks for a key: terminal_keys presses one.";
    case "continuation":
      return "The command line is not finished, as with an open quote: terminal_write the rest with submit, or press C-c with terminal_keys.";
    case undefined:
      return "terminal_wait waits for its end, for text or for a question; terminal_write and terminal_keys type into it; terminal_signal and terminal_close end it.";
  }
}
