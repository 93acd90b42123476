import { isAnswerRead, type Need } from "@nacre/client";
import { Button } from "../parts/button.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Age } from "../parts/time.tsx";
import { showFailures } from "../parts/toast.tsx";
import { linkTo, linkToTerminal } from "../state/links.ts";
import type { LiveState } from "../state/live-state.ts";
import { markSeen } from "../state/seen.ts";
import { AnswerBox, ControlAnswers } from "../terminal-controls/answer-box.tsx";
import { readHolder } from "../terminal-controls/holder.ts";

const INPUT_WORDS = {
  secret: "asks for a secret",
  line: "waits for a line",
  key: "waits for a key",
  continuation: "has an unfinished command line",
} as const;

export function Inbox({
  live,
  needs,
}: {
  readonly live: LiveState;
  readonly needs: readonly Need[];
}) {
  if (needs.length === 0) return null;
  return (
    <section class="inbox" aria-labelledby="inbox-title">
      <h2 id="inbox-title">
        Needs you <span class="count">{needs.length}</span>
      </h2>
      <ul>
        {needs.map((need) => (
          <NeedLine key={keyOf(need)} live={live} need={need} />
        ))}
      </ul>
    </section>
  );
}

const keyOf = (need: Need): string =>
  need.kind === "control" || need.kind === "question" || need.kind === "lapsed"
    ? `${need.terminal.id} ${need.request.requestId}`
    : `${need.terminal.id} ${need.kind}`;

function NeedLine({ live, need }: { readonly live: LiveState; readonly need: Need }) {
  const { terminal } = need;
  const { tone, icon } = lookOf(need);
  return (
    <li class="need" data-tone={tone} data-kind={need.kind}>
      <Icon name={icon} />
      <div class="need-words">
        <a class="clip" href={linkToTerminal(terminal.id)}>
          {terminal.title}
        </a>
        <NeedWords live={live} need={need} />
      </div>
      <div class="need-action">
        <NeedAction live={live} need={need} />
      </div>
    </li>
  );
}

function NeedWords({ live, need }: { readonly live: LiveState; readonly need: Need }) {
  switch (need.kind) {
    case "question":
      return (
        <span>
          <strong>{need.request.by}</strong> asks you
          <q>{need.request.prompt}</q>
        </span>
      );
    case "lapsed":
      return (
        <span>
          <strong>{need.request.by}</strong> asked you
          <q>{need.request.prompt}</q>
          <span class="quiet">
            {need.request.reason === "closed" ? "its program ended " : "it lapsed "}
            <Age at={need.request.lapsedAt} /> ago
          </span>
        </span>
      );
    case "control":
      return (
        <span>
          <strong>{readHolder(need.request.claim, live).name}</strong> asks for control
          {need.request.note !== undefined && <q>{need.request.note}</q>}
        </span>
      );
    case "input":
      return (
        <span>
          {INPUT_WORDS[need.input.kind]}{" "}
          <span class="quiet">
            for <Age at={need.input.since} />
          </span>
        </span>
      );
    case "blocked":
      return (
        <span>
          cannot be recorded: {need.blocked.reason === "diskFull" ? "disk full" : "disk fails"}{" "}
          <span class="quiet">
            for <Age at={need.blocked.since} />
          </span>
        </span>
      );
    case "failed":
      return (
        <span class="need-failed">
          {need.commandLine !== "" && <code class="clip">{need.commandLine}</code>}
          <span>failed: {need.ending}</span>
        </span>
      );
  }
}

function NeedAction({ live, need }: { readonly live: LiveState; readonly need: Need }) {
  const { id } = need.terminal;
  switch (need.kind) {
    case "question": {
      const { request } = need;
      const kind = request.secret ? "secret" : "line";
      const isRead = isAnswerRead(need.terminal, request);
      return (
        <AnswerBox live={live} terminalId={id} kind={kind} request={request} isRead={isRead} />
      );
    }
    case "lapsed": {
      const { requestId } = need.request;
      return (
        <Button
          small
          look="quiet"
          onClick={() => showFailures(live.client.withdrawInput({ id, requestId }))}
        >
          Dismiss
        </Button>
      );
    }
    case "control":
      return <ControlAnswers live={live} terminalId={id} request={need.request} />;
    case "input": {
      const { kind } = need.input;
      if (kind !== "continuation") return <AnswerBox live={live} terminalId={id} kind={kind} />;
      return (
        <div class="actions">
          <a class="button small" href={linkToTerminal(id)}>
            Look
          </a>
        </div>
      );
    }
    case "blocked":
      return (
        <div class="actions">
          <a class="button small" href={linkTo("/recordings")}>
            Recordings
          </a>
        </div>
      );
    case "failed":
      return (
        <div class="actions">
          <a class="button small" href={linkToTerminal(id)}>
            Look
          </a>
          <Button small look="quiet" onClick={() => markSeen(need.terminal)}>
            Dismiss
          </Button>
        </div>
      );
  }
}

function lookOf(need: Need): { readonly tone: string; readonly icon: IconName } {
  switch (need.kind) {
    case "question":
      return { tone: "warn", icon: need.request.secret ? "key" : "pen" };
    case "lapsed":
      return { tone: "info", icon: "pen" };
    case "control":
      return { tone: "info", icon: "hand" };
    case "input":
      return { tone: "warn", icon: need.input.kind === "secret" ? "key" : "pen" };
    case "blocked":
    case "failed":
      return { tone: "bad", icon: "warn" };
  }
}
