import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { go } from "../app/place.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { describeError } from "../parts/toast.tsx";

interface CreateDialogProps {
  readonly live: LiveState;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Creates a terminal and goes to it. */
export function CreateDialog({ live, isOpen, close }: CreateDialogProps) {
  return (
    <Dialog isOpen={isOpen} title="New terminal" close={close}>
      <CreateForm live={live} close={close} />
    </Dialog>
  );
}

function CreateForm({ live, close }: Omit<CreateDialogProps, "isOpen">) {
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    if (!form.current) return;
    const fields = new FormData(form.current);
    const given = (name: string): string => {
      const value = fields.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const [commandLine, workingDirectory, name] = [given("line"), given("cwd"), given("title")];
    setBusy(true);
    try {
      const { id } = await live.client.createTerminal({
        ...(commandLine === "" ? {} : { commandLine }),
        ...(workingDirectory === "" ? {} : { workingDirectory }),
        ...(name === "" ? {} : { name }),
      });
      close();
      await live.reread();
      go(`/t/${id.slice("terminal:".length)}`);
    } catch (error) {
      setProblem(describeError(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <label class="field">
        <span>Command (your shell when empty)</span>
        <input
          ref={first}
          class="input mono"
          name="line"
          placeholder="npm run dev"
          spellcheck={false}
        />
      </label>
      <label class="field">
        <span>Directory (your home when empty)</span>
        <input class="input mono" name="cwd" placeholder="/home/you/project" spellcheck={false} />
      </label>
      <label class="field">
        <span>Title</span>
        <input class="input" name="title" maxLength={256} />
      </label>
      {problem !== undefined && (
        <p class="form-problem" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-actions">
        <Button onClick={close}>Cancel</Button>
        <Button look="primary" type="submit" disabled={isBusy}>
          Create
        </Button>
      </div>
    </form>
  );
}
