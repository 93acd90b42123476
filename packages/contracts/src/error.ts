/** How each wire spells a failure. Our own code uses only the code. */
export interface ErrorSpelling {
  readonly meaning: string;
  readonly nextStep: string;
  readonly httpStatus: number;
  readonly jsonRpcCode: number;
  readonly fileClass: FileErrorClass;
  readonly cliExitCode: number;
}

export type FileErrorClass =
  | "enoent"
  | "eperm"
  | "invalid"
  | "unsupported"
  | "unavailable"
  | "busy"
  | "timeout"
  | "limit";

type Row = [
  meaning: string,
  nextStep: string,
  httpStatus: number,
  jsonRpcCode: number,
  fileClass: FileErrorClass,
  cliExitCode: number,
];

/**
 * Every error. CLI exit codes: 1 general, 2 usage, 3 not found, 4 not running, 5 refused, 6 limit, 7 unavailable, 11
 * timeout. JSON-RPC codes are those of JSON-RPC 2.0 and of the Agent Host Protocol.
 */
const ROWS = {
  invalid_argument: [
    "A value in the request is missing, unknown, of the wrong type or out of range.",
    "Correct what the message names and try again.",
    400,
    -32602,
    "invalid",
    2,
  ],
  payload_too_large: [
    "One message is larger than the limit for its kind.",
    "Split it into smaller messages.",
    413,
    -32602,
    "limit",
    6,
  ],
  terminal_not_found: [
    "No terminal has this id, or it was disposed.",
    "List the terminals and use an id from the list.",
    404,
    -32008,
    "enoent",
    3,
  ],
  recording_not_found: [
    "No recording, entry or command has this id.",
    "List the recordings; it may have been removed by retention.",
    404,
    -32008,
    "enoent",
    3,
  ],
  token_not_found: [
    "No token has this name.",
    "List the tokens and use a name from the list.",
    404,
    -32008,
    "enoent",
    3,
  ],
  already_exists: [
    "The id or name asked for is taken.",
    "Choose another one, or use the existing one.",
    409,
    -32010,
    "invalid",
    1,
  ],
  terminal_exited: [
    "The program of this terminal has ended; the terminal can be read but not driven.",
    "Read what it left, or create a new terminal.",
    409,
    -32011,
    "eperm",
    4,
  ],
  conflict: [
    "The state changed since the caller last saw it.",
    "Read the present state and decide again.",
    409,
    -32011,
    "busy",
    1,
  ],
  claim_held: [
    "Somebody else drives this terminal and the policy does not let others in.",
    "Ask the holder for control, or take over if you are the operator.",
    409,
    -32009,
    "eperm",
    5,
  ],
  unauthenticated: [
    "No valid credential came with the request.",
    "Send a token; `nacre tokens` makes one.",
    401,
    -32009,
    "eperm",
    5,
  ],
  forbidden: [
    "The credential does not allow this.",
    "Use a credential with the scope named in the message.",
    403,
    -32009,
    "eperm",
    5,
  ],
  cwd_not_found: [
    "The working directory does not exist.",
    "Create it, name another one, or ask for the home fallback.",
    400,
    -32008,
    "enoent",
    3,
  ],
  cwd_not_directory: [
    "The working directory is not a directory.",
    "Name a directory.",
    400,
    -32602,
    "invalid",
    2,
  ],
  cwd_forbidden: [
    "The working directory, after symbolic links, lies outside the allowed roots.",
    "Name a directory inside an allowed root.",
    403,
    -32009,
    "eperm",
    5,
  ],
  shell_not_allowed: [
    "The shell asked for is not on the list of allowed shells.",
    "Leave the shell out, or name one of the shells in the message.",
    400,
    -32602,
    "invalid",
    2,
  ],
  command_not_found: [
    "The program to run does not exist.",
    "Give the path of a program, or a name on the PATH of the terminal's environment.",
    400,
    -32008,
    "enoent",
    127,
  ],
  command_not_executable: [
    "The program to run exists but may not be executed.",
    "Name a file that may be executed; look at its mode and its `#!` line.",
    400,
    -32602,
    "invalid",
    126,
  ],
  environment_refused: [
    "A variable in the request may not be set for a terminal.",
    "Leave out the variable named in `field`, or allow it in the configuration.",
    400,
    -32602,
    "invalid",
    2,
  ],
  spawn_failed: [
    "The operating system refused to start the program.",
    "The message has the system's reason; free the resource it names.",
    500,
    -32603,
    "unavailable",
    1,
  ],
  pty_unavailable: [
    "This machine cannot open pseudo-terminals.",
    "Run `nacre doctor`; one-shot execution may still work.",
    503,
    -32603,
    "unavailable",
    7,
  ],
  route_not_found: [
    "The host has no route, path or method of this name.",
    "Look at `/docs` of the host, or at its list of methods.",
    404,
    -32601,
    "enoent",
    3,
  ],
  unsupported: [
    "This host or platform does not have the feature.",
    "The message names what is missing.",
    501,
    -32601,
    "unsupported",
    7,
  ],
  input_queue_full: [
    "The program does not read its input and the input queue is full; nothing was queued.",
    "Wait until it reads, interrupt it, or send less.",
    429,
    -32011,
    "busy",
    6,
  ],
  limit_reached: [
    "A count limit is reached (terminals, connections, rate).",
    "Close something or raise the limit named in the message.",
    429,
    -32011,
    "limit",
    6,
  ],
  recording_blocked: [
    "The disk is full, or the recording cannot be written and the terminal records strictly.",
    "Free disk space; the terminal goes on by itself.",
    503,
    -32603,
    "unavailable",
    7,
  ],
  resource_exhausted: [
    "The machine, or the host's share of it, has no more file descriptors, processes, pseudo-terminals or memory.",
    "End terminals or programs that nobody needs, or raise what the message names; then try again.",
    503,
    -32603,
    "unavailable",
    7,
  ],
  recording_damaged: [
    "The files of the recording were damaged, and this part of it cannot be read; all others can.",
    "Verify it to see which entries are good, and export up to the last of them.",
    500,
    -32603,
    "unavailable",
    1,
  ],
  timeout: [
    "The deadline passed first; what was observed so far is in the answer.",
    "Ask again with a longer deadline, from the position in the answer.",
    408,
    -32011,
    "timeout",
    11,
  ],
  unavailable: [
    "The host is starting, stopping or cannot reach one of its parts.",
    "Try again in a moment.",
    503,
    -32603,
    "unavailable",
    7,
  ],
  unexpected_answer: [
    "A host answered in a shape that this client does not know.",
    "Use a client of the host's version.",
    502,
    -32603,
    "unavailable",
    7,
  ],
  internal: [
    "A fault in the host; it is logged.",
    "Report it with the log line of this request.",
    500,
    -32603,
    "unavailable",
    1,
  ],
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof ROWS;

export const ERRORS: Readonly<Record<ErrorCode, ErrorSpelling>> = Object.fromEntries(
  Object.entries(ROWS).map(
    ([code, [meaning, nextStep, httpStatus, jsonRpcCode, fileClass, cliExitCode]]) => [
      code,
      { meaning, nextStep, httpStatus, jsonRpcCode, fileClass, cliExitCode },
    ],
  ),
) as Record<ErrorCode, ErrorSpelling>;
