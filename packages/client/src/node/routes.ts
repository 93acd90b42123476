import type { OperationName, OPERATIONS } from "@nacre/contracts";

type Route<Name extends OperationName> = (typeof OPERATIONS)[Name]["http"];

/** Where each operation is over HTTP, without the schemas that the table of operations has; the compiler compares the two. */
export const ROUTES: {
  readonly [Name in OperationName]: `${Route<Name>["method"]} ${Route<Name>["path"]}`;
} = {
  createTerminal: "POST /api/terminals",
  listTerminals: "GET /api/terminals",
  readTerminal: "GET /api/terminals/{id}",
  renameTerminal: "PATCH /api/terminals/{id}",
  disposeTerminal: "DELETE /api/terminals/{id}",
  signalTerminal: "POST /api/terminals/{id}/signal",
  killTerminal: "POST /api/terminals/{id}/kill",
  readScreen: "GET /api/terminals/{id}/screen",
  sendInput: "POST /api/terminals/{id}/input",
  pasteText: "POST /api/terminals/{id}/paste",
  resizeTerminal: "POST /api/terminals/{id}/resize",
  clearTerminal: "POST /api/terminals/{id}/clear",
  requestInput: "POST /api/terminals/{id}/input-requests",
  answerInput: "POST /api/terminals/{id}/input-requests/{requestId}",
  markRecording: "POST /api/terminals/{id}/markers",
  runCommand: "POST /api/terminals/{id}/commands",
  listCommands: "GET /api/terminals/{id}/commands",
  readCommand: "GET /api/terminals/{id}/commands/{commandId}",
  execCommand: "POST /api/exec",
  waitFor: "POST /api/terminals/{id}/wait",
  readOutput: "GET /api/terminals/{id}/output",
  findRecordingEntries: "GET /api/terminals/{terminalId}/recording",
  searchRecordings: "GET /api/search",
  listRecordings: "GET /api/recordings",
  readTimeline: "GET /api/recordings/{id}/timeline",
  verifyRecording: "GET /api/recordings/{id}/verdict",
  pruneRecordings: "POST /api/recordings/prune",
  deleteRecording: "DELETE /api/recordings/{id}",
  moveClaim: "POST /api/terminals/{id}/claim",
  handBackClaim: "POST /api/terminals/{id}/claim/hand-back",
  requestControl: "POST /api/terminals/{id}/control-requests",
  answerControl: "POST /api/terminals/{id}/control-requests/{requestId}",
  readHost: "GET /api/host",
  changeLimits: "PUT /api/limits",
  listAudit: "GET /api/audit",
  listTokens: "GET /api/tokens",
  createToken: "POST /api/tokens",
  rotateToken: "POST /api/tokens/{name}/rotate",
  revokeToken: "DELETE /api/tokens/{name}",
  createTicket: "POST /api/tickets",
};
