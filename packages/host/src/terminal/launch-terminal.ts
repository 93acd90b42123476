import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type Caller,
  Claim,
  NacreError,
  parse,
  ProgramLimits,
  TerminalId,
  type TerminalInput,
  TerminalInputSchema,
  type TerminalStorage,
} from "@nacre/contracts";
import { claimOf, firstClaim, requireWriteScope } from "../claim/claim-rules.ts";
import { type LaunchPolicy, type PreparedLaunch, prepareLaunch } from "../pty/launch.ts";
import type { LaunchLimits, LimitName } from "../pty/limits/program-limits.ts";
import type { Pty } from "../pty/pty.ts";
import { isInsideRoots } from "../pty/working-directory.ts";
import type { Recording, RecordingOptions } from "../recording/recording.ts";
import type { Recordings } from "../recording/recordings.ts";
import { type Integration, prepareIntegration } from "../shell/integration.ts";
import { requireRecording, unlessBlocked } from "./require-recording.ts";
import { type AdoptionState, serializeAdoptionState } from "./adoption-state.ts";
import type { TerminalDeps, TerminalOptions } from "./terminal-init.ts";
import { Terminal } from "./terminal.ts";
import { settleWithin } from "../base/settle-within.ts";

/** The directories that lie inside both lists of roots, symbolic links resolved; an empty list of the policy means anywhere. */
export async function narrowRoots(
  allowed: readonly string[],
  asked: readonly string[],
): Promise<readonly string[]> {
  const [outer, inner] = await Promise.all([resolveLinks(allowed), resolveLinks(asked)]);
  const inside = [
    ...inner.filter((root) => isInsideRoots(root, outer)),
    // No roots at all would mean anywhere.
    ...(inner.length === 0 ? [] : outer.filter((root) => isInsideRoots(root, inner))),
  ];
  if (inside.length > 0) return [...new Set(inside)];
  throw new NacreError(
    "cwd_forbidden",
    `none of the caller's roots ${asked.join(", ")} is allowed by the host`,
    { field: "workingDirectory", suggestion: "Give the credential roots that the host allows." },
  );
}

const resolveLinks = (roots: readonly string[]): Promise<readonly string[]> =>
  Promise.all(roots.map((root) => realpath(root).catch(() => resolve(root))));

export interface CreateOptions extends TerminalOptions {
  readonly by: Caller;
  /** The id it is to have; made up when absent, and refused when a recording has it already. */
  readonly id?: TerminalId | undefined;
  readonly recording?: RecordingOptions | undefined;
  /** Who drives it first; the caller when absent. */
  readonly claim?: Claim | undefined;
  /** `off` starts a shell without shell integration. */
  readonly shellIntegration?: "auto" | "off" | undefined;
  /** Directories in or below which it starts, of those that the policy allows; all of those when absent. */
  readonly roots?: readonly string[] | undefined;
  /** What its programs may use, no more than the policy lets them. */
  readonly limits?: ProgramLimits | undefined;
}

/** 136 bits: nobody guesses the id of a terminal. */
const ID_BYTES = 17;

/** Who is refused a terminal does not wait longer for a recorder that does not answer; what is recorded of it is removed later then. */
const MAX_FORGET_MS = 1000;

/** Creates a terminal completely, or not at all: row, program, header, in this order. */
export async function launchTerminal(
  asked: TerminalInput,
  wishes: CreateOptions,
  deps: TerminalDeps,
): Promise<Terminal> {
  const input = parse(TerminalInputSchema, asked);
  const { strict } = deps;
  const recorded = { ...(strict === undefined ? {} : { strict }), ...wishes.recording };
  const options = { ...wishes, recording: recorded };
  requireWriteScope(options.by, "create a terminal");
  const wanted = options.claim && parse(Claim, options.claim, "claim");
  requireRecording(deps.recordings);
  resolveLimits(deps.policy.limits, options.limits);
  const launch = await prepare(input, await policyFor(deps.policy, options));
  const row = buildRow(input, launch, options.id);
  await using undo = new AsyncDisposableStack();
  const integration = await integrate(input, { launch, options, deps });
  undo.defer(async () => {
    await integration?.dispose();
  });
  const { recordings } = deps;
  const creating = recordings.create(row, options.recording);
  const recording = await unlessBlocked(creating, recordings).catch((error: unknown) => {
    // A row of which nobody knows whether it was written may turn up once the store can be read again.
    creating.then((late) => forgetRecording(recordings, late)).catch(() => undefined);
    throw error;
  });
  let forgotten: Promise<void> | undefined;
  const forget = (): Promise<void> => (forgotten ??= forgetRecording(recordings, recording));
  undo.defer(() => settleWithin(forget(), MAX_FORGET_MS));
  const pty = await spawn(deps, { launch, integration, options, row });
  const claim = firstClaim(wanted ?? claimOf(options.by), Date.now(), options.by.id);
  const cwdFallback = launch.cwdFallbackReason ? (true as const) : undefined;
  const { size } = launch;
  const terminal = new Terminal(
    { row, pty, size, recording, integration, claim, cwdFallback, options },
    deps,
  );
  undo.defer(async () => {
    terminal.abandon();
    // What waits for the disk is given up with the recording, so that the end of the program need not wait for it.
    void forget();
    await terminal.close(0);
  });
  await unlessBlocked(terminal.opened, recordings);
  undo.move();
  return terminal;
}

/** Removes the recording of a terminal that did not come about; where nothing can be removed now, as soon as that can be done. */
async function forgetRecording(recordings: Recordings, recording: Recording): Promise<void> {
  try {
    await recordings.delete(recording.terminalId);
  } catch (error) {
    // What went wrong first is what the caller has to know.
    const isLater = error instanceof NacreError && error.code === "recording_blocked";
    if (isLater) void recording.recovered.then(() => forgetRecording(recordings, recording));
  }
}

/** What the policy leaves to this caller: its own roots, and for an agent no variables beyond the usual ones. */
async function policyFor(policy: LaunchPolicy, options: CreateOptions): Promise<LaunchPolicy> {
  const { roots, by } = options;
  return {
    ...policy,
    ...(roots === undefined ? {} : { allowedRoots: await narrowRoots(policy.allowedRoots, roots) }),
    ...(by.scope === "agent" ? { permittedVariables: [] } : {}),
  };
}

async function prepare(input: TerminalInput, policy: LaunchPolicy): Promise<PreparedLaunch> {
  const { command, args, shell, workingDirectory, cwdFallback, env, inheritEnv, size } = input;
  try {
    return await prepareLaunch(
      {
        cwd: workingDirectory,
        ...(command === undefined ? {} : { command }),
        ...(args === undefined ? {} : { args }),
        ...(shell === undefined ? {} : { shell }),
        ...(cwdFallback === undefined ? {} : { cwdFallback }),
        ...(env === undefined ? {} : { env }),
        ...(inheritEnv === undefined ? {} : { inheritEnv }),
        ...(size === undefined ? {} : { size }),
      },
      policy,
    );
  } catch (error) {
    if (!(error instanceof NacreError) || error.field !== "cwd") throw error;
    // The field has another name in what the caller asked for.
    const { suggestion, cause } = error;
    throw new NacreError(error.code, error.message, {
      field: "workingDirectory",
      suggestion,
      cause,
    });
  }
}

function buildRow(input: TerminalInput, launch: PreparedLaunch, id?: TerminalId): TerminalStorage {
  const { owner, name, command, args } = input;
  return {
    id: id ?? newTerminalId(),
    owner,
    workingDirectory: launch.cwd,
    ...(name === undefined ? {} : { name }),
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args }),
    createdAt: new Date().toISOString(),
  };
}

/** The identity of a terminal that is not there yet. */
export const newTerminalId = (): TerminalId => TerminalId.parse(`terminal:${newUid()}`);

/** Letters and digits that are safe in channels, addresses and file names, and never begin with a dash. */
function newUid(): string {
  const text = randomBytes(ID_BYTES).toString("base64url");
  return /^[A-Za-z0-9]/.test(text) ? text : newUid();
}

interface IntegrationContext {
  readonly launch: PreparedLaunch;
  readonly options: CreateOptions;
  readonly deps: TerminalDeps;
}

async function integrate(
  input: TerminalInput,
  { launch, options, deps }: IntegrationContext,
): Promise<Integration | undefined> {
  if (options.shellIntegration === "off" || options.mode === "pipe") return undefined;
  const { file, args, env } = launch;
  return await prepareIntegration({ shell: file, args, env, directory: deps.shellDirectory });
}

function buildAdoptionState(
  terminalId: TerminalId,
  options: CreateOptions,
  integration: Integration | undefined,
): AdoptionState {
  const { inputPolicy, trustForeignMarkers, whenOwnerEnds, mode, recording } = options;
  const { endAt, keepBackground } = options;
  const driven = { inputPolicy, trustForeignMarkers, whenOwnerEnds, mode };
  // Of all others their recording tells.
  const claim = endAt === undefined ? undefined : (options.claim ?? claimOf(options.by));
  const told = { ...driven, endAt, keepBackground, claim, ...recording };
  if (!integration) return { terminalId, ...told };
  const { shell, quality, nonces } = integration;
  return { terminalId, ...told, integration: { shell, quality, secret: nonces.secret } };
}

interface SpawnContext {
  readonly launch: PreparedLaunch;
  readonly integration: Integration | undefined;
  readonly options: CreateOptions;
  readonly row: TerminalStorage;
}

async function spawn(
  { driver, pipes, policy }: TerminalDeps,
  { launch, integration, options, row }: SpawnContext,
): Promise<Pty> {
  const isPiped = options.mode === "pipe";
  const pty = await (isPiped ? pipes : driver).spawn({
    ...launch,
    args: integration?.args ?? launch.args,
    env: { ...launch.env, ...integration?.env, NACRE_TERMINAL_ID: row.id },
    memo: serializeAdoptionState(buildAdoptionState(row.id, options, integration)),
    limits: resolveLimits(policy.limits, options.limits),
  });
  // Nobody types to a program without a terminal; it would wait for the end of its input.
  if (isPiped) await pty.endInput?.();
  return pty;
}

/** What a launch says of limits: those of the policy, and what was asked for below them. */
function resolveLimits(
  policy: LaunchPolicy["limits"],
  asked: ProgramLimits | undefined,
): LaunchLimits | undefined {
  if (!policy && !asked) return undefined;
  const { defaults = {}, cgroups = false } = policy ?? {};
  const limits = parse(ProgramLimits, asked ?? {}, "limits");
  for (const [name, most] of Object.entries(defaults) as [LimitName, number | undefined][]) {
    const value = limits[name];
    // Absent: unlimited.
    if (!most || value === undefined || value <= most) continue;
    throw new NacreError("invalid_argument", `limits.${name}: the host allows at most ${most}`, {
      field: `limits.${name}`,
      suggestion: "Ask for less, or leave it out.",
    });
  }
  return { asked: limits, defaults, cgroups };
}
