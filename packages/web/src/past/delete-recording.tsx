import { useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { showToast, describeError } from "../parts/toast.tsx";
import type { RecordingLine } from "./recording-line.ts";

interface DeleteRecordingProps {
  readonly live: LiveState;
  /** What is to be deleted; nothing is asked while it is undefined. */
  readonly line: RecordingLine | undefined;
  readonly close: () => void;
  readonly handleDeleted: (line: RecordingLine) => void;
}

/** Asks before a recording is deleted, as nothing brings it back. */
export function DeleteRecording({ live, line, close, handleDeleted }: DeleteRecordingProps) {
  const [problem, setProblem] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const handleClose = (): void => {
    setProblem("");
    close();
  };
  const handleDelete = async (wanted: RecordingLine): Promise<void> => {
    setIsBusy(true);
    try {
      await live.client.deleteRecording({ id: wanted.row.id });
      showToast("The recording is deleted.");
      handleDeleted(wanted);
      handleClose();
    } catch (error) {
      setProblem(describeError(error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Dialog isOpen={line !== undefined} title="Delete this recording?" close={handleClose}>
      <p>
        <strong class="delete-name">{line?.title}</strong>
      </p>
      <p class="quiet">
        {line?.isRunning
          ? "The terminal still runs: it is ended, and then removed with everything it recorded."
          : "Everything it recorded is removed."}{" "}
        Nothing brings it back.
      </p>
      {problem !== "" && (
        <p class="form-problem" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-actions">
        <Button onClick={handleClose}>Keep it</Button>
        <Button
          look="bad"
          symbol="trash"
          disabled={isBusy}
          onClick={() => line && void handleDelete(line)}
        >
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
