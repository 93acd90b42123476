import type { ReaderMethods } from "./reader-calls.ts";
import type { RestartingWorker } from "./service.ts";
import type { TaskInput, TaskSteps } from "./tasks.ts";

/** The steps of a task of the reader thread, each made when it is asked for; the task ends with who asks. */
export async function* runTask<Task extends TaskInput>(
  service: RestartingWorker<ReaderMethods>,
  input: Task,
): AsyncGenerator<TaskSteps[Task["task"]]> {
  const reader = service.current;
  const id = await reader.call("start", input);
  try {
    for (;;) {
      const next = await reader.call("next", id);
      if (!next) return;
      // The task of this name gives steps of this type.
      yield next.step as TaskSteps[Task["task"]];
    }
  } finally {
    if (!reader.isClosed) await reader.call("stop", id);
  }
}
