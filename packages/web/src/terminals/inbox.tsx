import { describeNeed, isAnswerRead, type Need, shortLabel } from "@nacre/client/ui";
import { Button } from "../parts/button.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { showFailures } from "../parts/toast.tsx";
import { linkTo, linkToTerminal } from "../state/links.ts";
import type { LiveState } from "../state/live-state.ts";
import { markSeen } from "../state/seen.ts";
import { AnswerBox, ControlAnswers } from "../terminal-controls/answer-box.tsx";
import { NeedWords } from "../terminal-controls/need-words.tsx";

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
  return (
    <li class="need" data-tone={describeNeed(need).tone} data-kind={need.kind}>
      <Icon name={iconOf(need)} />
      <div class="need-words">
        <a class="clip" href={linkToTerminal(terminal.id)}>
          {shortLabel(terminal.title)}
        </a>
        <NeedWords live={live} need={need} />
      </div>
      <div class="need-action">
        <NeedAction live={live} need={need} />
      </div>
    </li>
  );
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

function iconOf(need: Need): IconName {
  switch (need.kind) {
    case "question":
      return need.request.secret ? "key" : "pen";
    case "lapsed":
      return "pen";
    case "control":
      return "hand";
    case "input":
      return need.input.kind === "secret" ? "key" : "pen";
    case "blocked":
    case "failed":
      return "warn";
  }
}
