/** What a program writes on a terminal of 80 columns and 24 rows, and what is read of it on every wire. */
export interface TextSample {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** What `wait` finds, where that is less: it sees the alternate screen itself, and a character that is cut off may go on. */
  readonly waited?: string;
}

const sample = (name: string, output: string | Uint8Array, text: string): TextSample => ({
  name,
  bytes: typeof output === "string" ? Buffer.from(output) : output,
  text,
});

const raw = (name: string, latin1: string, text: string): TextSample =>
  sample(name, Buffer.from(latin1, "latin1"), text);

export const SAMPLES: readonly TextSample[] = [
  sample("plain lines", "one line\ntwo lines\n", "one line\ntwo lines\n"),
  sample("no line end", "unfinished", "unfinished"),
  sample("blank lines", "first\n\n\nfourth", "first\n\n\nfourth"),
  sample("CR LF", "first\r\nsecond\r\n", "first\nsecond\n"),
  sample("carriage return", "50%\r100%", "100%"),
  sample("carriage return over a longer line", "downloading\rdone", "doneloading"),
  sample("backspace", "abc\b\bX\n", "aXc\n"),
  sample("overstruck bold", "N\bNA\bAM\bME\bE", "NAME"),
  sample("EL 0", "progress 99%\r\x1b[Kready", "ready"),
  sample("EL 1", "secret\x1b[1Kseen", "      seen"),
  sample("EL 2", "secret\x1b[2K\rready", "ready"),
  sample("ECH", "abcdef\r\x1b[3Xxy", "xy def"),
  sample("ICH", "world\r\x1b[6@hello", "hello world"),
  sample("DCH", "hello cruel world\x1b[11D\x1b[6P", "hello world"),
  sample("insert mode", "world\r\x1b[4hhello \x1b[4l", "hello world"),
  sample("REP", "-\x1b[9b>", "---------->"),
  sample("tabs", "name\tvalue\n\tindented", "name\tvalue\n\tindented"),
  sample("a tab over text", "0123456789\r\tXY", "01234567XY"),
  sample("cursor left and right", "abcd\x1b[3Dx\x1b[2Cyz", "axcdyz"),
  sample("cursor to a column", "left\x1b[11Gright\x1b[1GL", "Left      right"),
  sample("saved cursor", "ab\x1b7cdef\x1b8XY", "abXYef"),
  sample(
    "progress in several lines",
    "one 10%\ntwo 10%\n\x1b[2Aone 99%\ntwo 99%\n",
    "one 99%\ntwo 99%\n",
  ),
  sample(
    "lines that are erased below",
    "step one\nstep two\n\x1b[2A\x1b[Jall done\n",
    "all done\n",
  ),
  sample("a line that runs over", `${"long ".repeat(40)}end`, `${"long ".repeat(40)}end`),
  sample("wide characters", "日本語\b\b語語 end", "日本語語 end"),
  sample("emoji", "status 👍 🐚 fine", "status 👍 🐚 fine"),
  sample("combining characters", "cafe\u0301 nai\u0308ve", "cafe\u0301 nai\u0308ve"),
  sample("characters that nobody sees", "pay\u200bload\u202e\u2066\ufeff\u{e0041}", "payload"),
  sample("OSC 0", "before\x1b]0;title\x07after", "beforeafter"),
  sample("OSC 8", "\x1b]8;;http://hidden\x1b\\link\x1b]8;;\x1b\\ text", "link text"),
  sample("OSC 133", "\x1b]133;A\x07prompt\x1b]133;B\x07 line", "prompt line"),
  sample("SGR", "\x1b[1;31merror\x1b[0m: \x1b[38;5;8mgrey\x1b[m", "error: grey"),
  sample("concealed", "user \x1b[8mhidden\x1b[28m shown", "user        shown"),
  sample("white on white", "user \x1b[97;107mhidden\x1b[0m shown", "user        shown"),
  sample("vertical tab and form feed", "one\vtwo\fthree", "one\n   two\n      three"),
  raw("invalid UTF-8", "ill\xff\xc3(formed", "ill\ufffd\ufffd(formed"),
  {
    ...raw("UTF-8 that is cut off", "euro \xe2\x82", "euro \ufffd"),
    waited: "euro ",
  },
  sample("C1 controls", "red \u009b31mtext\u009d0;title\u009c\u0085next", "red text\nnext"),
  sample("DCS", "before\x1bPq#0;2;0;0;0\x1b\\after", "beforeafter"),
  sample("APC and PM", "before\x1b_hidden\x1b\\\x1b^hidden\x1b\\after", "beforeafter"),
  sample("NUL, BEL and DEL", "be\x00ll\x07 ri\x7fngs", "bell rings"),
  sample("line drawing", "\x1b(0lqqk\x1b(B box", "┌──┐ box"),
  sample("clear", "$ make\n\x1b[H\x1b[2J\x1b[3Jclean\n", "$ make\nclean\n"),
  {
    ...sample(
      "the alternate screen",
      "before\n\x1b[?1049h\x1b[Hdrawn\x1b[24;1Hstatus\x1b[?1049lafterwards\n",
      "before\n[a full-screen program drew here]\nafterwards\n",
    ),
    waited: "afterwards\n",
  },
];
