import { execFileSync } from "node:child_process";
import { createReadStream, type ReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Size } from "@nacre/contracts";
import { type OwnDirectory, ownDirectory } from "../support/own-directory.ts";
import { TmuxControl } from "../support/tmux-control.ts";
import { type DrawnScreen, trimLines } from "./drawn-screen.ts";
import type { Step } from "./step.ts";
import { readCaptured } from "./tmux-cells.ts";

/** Ends what is open, leaves the alternate screen and forgets everything, also the cursors that were saved. */
const RESET = "\u0018\u001b[?1049l\u001bc\u001b[?1049h\u001b[?1049l\u001b7";

/** The answer comes when all before it is drawn. */
const ASK = "\u001b[6n";
// oxlint-disable-next-line no-control-regex -- the answer to the above
const ANSWER = /^\u001b\[\d+;\d+R/;

const FACTS = "#{cursor_x} #{cursor_y} #{alternate_on} #{cursor_flag}";

/** A screen drawn by tmux, for one case after the other. */
export class TmuxScreen implements AsyncDisposable {
  readonly #directory: OwnDirectory;
  readonly #control: TmuxControl;
  readonly #input: FileHandle;
  readonly #answers: AsyncIterator<string>;
  readonly #answerStream: ReadStream;
  #heard = "";
  #size: Size;

  private constructor(parts: {
    directory: OwnDirectory;
    control: TmuxControl;
    input: FileHandle;
    answers: ReadStream;
    size: Size;
  }) {
    this.#directory = parts.directory;
    this.#control = parts.control;
    this.#input = parts.input;
    this.#answerStream = parts.answers;
    this.#answers = parts.answers[Symbol.asyncIterator]();
    this.#size = parts.size;
  }

  /** Starts a server with one pane, in which a program copies what it is given, byte for byte. */
  static async start(size: Size): Promise<TmuxScreen> {
    const directory = ownDirectory();
    const [input, answers] = [join(directory.path, "input"), join(directory.path, "answers")];
    execFileSync("mkfifo", ["-m", "600", input, answers]);
    const program = `stty raw -echo; cat ${input} & exec cat > ${answers}`;
    const area = ["-x", String(size.cols), "-y", String(size.rows)];
    const control = new TmuxControl(["new-session", "-s", "t", ...area, program], {
      PATH: process.env["PATH"] ?? "",
      TMUX_TMPDIR: directory.path,
      HOME: directory.path,
      LC_ALL: "C.UTF-8",
      SHELL: "/bin/sh",
    });
    await control.run("refresh-client -f no-output");
    // Whatever ends the test ends the server, too.
    await control.run("set-option -g exit-unattached on");
    await control.run("set-option -g status off");
    await control.run("set-option -g window-size manual");
    await control.run(resizeCommand(size));
    const stream = createReadStream(answers, { encoding: "utf8" });
    const screen = new TmuxScreen({
      directory,
      control,
      input: await open(input, "w"),
      answers: stream,
      size,
    });
    await screen.#settle();
    return screen;
  }

  /** Draws the steps on an empty screen of this size. */
  async draw(size: Size, steps: readonly Step[]): Promise<DrawnScreen> {
    await this.#write(RESET);
    // What has left the screen comes back by a resize only.
    const isResized = steps.some((step) => step.size !== undefined);
    if (isResized || !isSameSize(size, this.#size)) await this.#clear(size);
    return this.extend(steps);
  }

  /** Draws more steps where the last ones ended. */
  async extend(steps: readonly Step[]): Promise<DrawnScreen> {
    let bytes = "";
    for (const step of steps) {
      if (step.size === undefined) {
        bytes += step.bytes;
        continue;
      }
      await this.#write(bytes);
      await this.#settle();
      await this.#resize(step.size);
      bytes = "";
    }
    await this.#write(bytes);
    await this.#settle();
    const captured = this.#control.run("capture-pane -p -e -N");
    const [facts = ""] = await this.#control.run(`display-message -p '${FACTS}'`);
    const [column = 0, row = 0, alternate, visible] = facts.split(" ").map(Number);
    return {
      rows: readCaptured(await captured),
      cursor: { row, column, visible: visible === 1 },
      alternate: alternate === 1,
    };
  }

  /** As `draw`, but gives the text with all that has left the screen, by lines, whatever the screen made of them. */
  async drawLines(size: Size, steps: readonly Step[]): Promise<readonly string[]> {
    await this.#write(RESET);
    await this.#clear(size);
    await this.extend(steps);
    return trimLines(await this.#control.run("capture-pane -p -J -S -"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#control[Symbol.asyncDispose]();
    await this.#input.close();
    this.#answerStream.destroy();
    this.#directory[Symbol.dispose]();
  }

  async #write(text: string): Promise<void> {
    if (text !== "") await this.#input.writeFile(text);
  }

  async #settle(): Promise<void> {
    await this.#write(ASK);
    for (;;) {
      const answer = ANSWER.exec(this.#heard)?.[0];
      if (answer !== undefined) {
        this.#heard = this.#heard.slice(answer.length);
        return;
      }
      const { value, done } = await this.#answers.next();
      if (done) throw new Error("the program in the pane has ended");
      this.#heard += value;
    }
  }

  async #clear(size: Size): Promise<void> {
    await this.#settle();
    await this.#resize(size);
    await this.#control.run("clear-history");
  }

  async #resize(size: Size): Promise<void> {
    if (isSameSize(size, this.#size)) return;
    this.#size = size;
    await this.#control.run(resizeCommand(size));
  }
}

const resizeCommand = ({ cols, rows }: Size): string => `resize-window -x ${cols} -y ${rows}`;

const isSameSize = (one: Size, other: Size): boolean =>
  one.cols === other.cols && one.rows === other.rows;
