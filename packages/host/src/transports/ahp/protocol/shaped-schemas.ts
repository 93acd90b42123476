// Schemas of what `shaping.ts` produces, for client authors.
import { z } from "zod";
import {
  ActionEnvelope,
  RootAction,
  RootConfigChanged,
  RootTerminalsChanged,
  TerminalAction,
  TerminalClaimed,
} from "./action.ts";
import {
  TerminalClientClaim,
  RootState,
  TerminalSessionClaim,
  Snapshot,
  TerminalClaim,
  TerminalInfo,
  TerminalState,
} from "./state.ts";
import type { StateDialect } from "./version.ts";

const VERSIONS: Readonly<Record<StateDialect, string>> = {
  exitCode: "Versions 0.2 to 0.6.",
  isPty: "Versions 0.7 and 0.8.",
  lifecycle: "Versions 0.9 and later.",
};

const exitCode = z.int().optional().meta({
  description: "Exit code of the program, once it has ended and where it is known.",
});

const describedFor = <Schema extends z.ZodType>(schema: Schema, shape: StateDialect): Schema =>
  schema.meta({ description: `${schema.meta()?.description ?? ""} ${VERSIONS[shape]}` });

function claimSchema(shape: StateDialect) {
  const { chat } = TerminalSessionClaim.shape;
  const session =
    shape === "lifecycle"
      ? TerminalSessionClaim.extend({ chat: chat.unwrap() })
      : TerminalSessionClaim.omit({ chat: true });
  return z
    .discriminatedUnion("kind", [
      TerminalClientClaim,
      session.meta(TerminalSessionClaim.meta() ?? {}),
    ])
    .meta(TerminalClaim.meta() ?? {});
}

function infoSchema(shape: StateDialect, claim: z.ZodType) {
  const info = TerminalInfo.extend({ claim });
  const old = info.omit({ lifecycle: true }).extend({ exitCode });
  const shaped = { exitCode: old.omit({ _meta: true }), isPty: old, lifecycle: info }[shape];
  return shaped.meta(TerminalInfo.meta() ?? {});
}

function stateSchema(shape: StateDialect, claim: z.ZodType) {
  const state = TerminalState.extend({ claim });
  const old = state.omit({ lifecycle: true }).extend({ exitCode });
  const shaped = { exitCode: old.omit({ isPty: true }), isPty: old, lifecycle: state }[shape];
  return shaped.meta(TerminalState.meta() ?? {});
}

function rootSchema(shape: StateDialect, info: z.ZodType) {
  const root = RootState.extend({
    terminals: z.array(info).meta(RootState.shape.terminals.meta() ?? {}),
  });
  const shaped = shape === "exitCode" ? root.omit({ _meta: true }) : root;
  return shaped.meta(RootState.meta() ?? {});
}

function actionSchema(claim: z.ZodType, info: z.ZodType) {
  const claimed = TerminalClaimed.extend({ claim }).meta(TerminalClaimed.meta() ?? {});
  const list = z.array(info).meta(RootTerminalsChanged.shape.terminals.meta() ?? {});
  const changed = RootTerminalsChanged.extend({ terminals: list });
  const others = TerminalAction.options.filter((option) => option !== TerminalClaimed);
  return z.union([
    z.union([claimed, ...others]).meta(TerminalAction.meta() ?? {}),
    z
      .union([changed.meta(RootTerminalsChanged.meta() ?? {}), RootConfigChanged])
      .meta(RootAction.meta() ?? {}),
  ]);
}

function schemasFor(shape: StateDialect) {
  const claim = describedFor(claimSchema(shape), shape);
  const info = describedFor(infoSchema(shape, claim), shape);
  const terminal = describedFor(stateSchema(shape, claim), shape);
  const root = describedFor(rootSchema(shape, info), shape);
  const action = actionSchema(claim, info).meta({
    description: `What happens. ${VERSIONS[shape]}`,
  });
  const snapshot = Snapshot.extend({
    state: z.union([root, terminal]).meta(Snapshot.shape.state.meta() ?? {}),
  }).meta(Snapshot.meta() ?? {});
  const envelope = ActionEnvelope.extend({ action }).meta(ActionEnvelope.meta() ?? {});
  return {
    TerminalClaim: claim,
    TerminalInfo: info,
    TerminalState: terminal,
    RootState: root,
    Action: action,
    Snapshot: describedFor(snapshot, shape),
    ActionEnvelope: describedFor(envelope, shape),
  };
}

export const SHAPED_SCHEMAS = {
  lifecycle: schemasFor("lifecycle"),
  isPty: schemasFor("isPty"),
  exitCode: schemasFor("exitCode"),
} as const satisfies Record<StateDialect, unknown>;
