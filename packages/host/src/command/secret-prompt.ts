/** Prompts are short; what stands further back was said before. */
const MAX_PROMPT_LENGTH = 300;

/** What some programs show in place of a secret, and the frame some draw around it. */
const MASK_CHARACTERS = "*•●∗▪■·_";
const FRAME_CHARACTERS = "│┃║|▏▕";

/** What some programs say instead of showing anything. */
const HIDDEN_NOTES = [
  "[hidden]",
  "[input is hidden]",
  "(hidden)",
  "(input is hidden)",
  "(press tab for no echo)",
];

/** Words that no other word ends with by chance, so that compounds such as `Datenbankpasswort` count. */
const WORD_ENDS = [
  "password|passphrase|passcode|passwd|passwort|kennwort|wachtwoord",
  "wachtwoordzin|lösenord|passord|kodeord|adgangskode|salasana|jelszó",
  "palavra-passe|contraseña|contrasenya|пароль|пароля|парола",
];

/** Words that count only as a whole. */
const WHOLE_WORDS = [
  "token|secret(?: value)?|pass phrase|otp|totp|api[ -]key|access[ -]key|secret[ -]key",
  "(?:verification|security|authentication|authenticator|recovery|unlock|pairing)[ -]code",
  "(?:one[ -]time|two[ -]factor|2fa|mfa|sms|otp|backup)[ -](?:code|pin)|auth[ -]code",
  "mot de passe|phrase (?:de passe|secrète)|code de vérification|code secret",
  "clave|frase de (?:paso|contraseña)|código de (?:verificación|verificação)|senha",
  "codice di verifica|parola(?: d['’]ordine)?|parolă|parolayı|şifre|şifreniz",
  "hasło|hasła|heslo|lozinka|geslo|κωδικός(?: πρόσβασης)?",
  "bestätigungscode|sicherheitscode|einmalcode|mật khẩu|kata sandi",
];

/** Words of scripts that do not set words apart by spaces, or whose endings vary. */
const BARE_WORDS = [
  "パスワード|パスフレーズ|暗証番号|認証コード|密码|密碼|口令|验证码",
  "驗證碼|비밀번호|암호|인증 코드|รหัสผ่าน|पासवर्ड|סיסמה|סיסמא",
  "كلمة المرور|كلمة السر|رمز عبور|گذرواژه",
];

/** One pass over a short text: no part of it repeats another. */
const ANY_WORD = [
  `(?:${WORD_ENDS.join("|")})(?![\\p{L}\\p{N}_])`,
  `(?<![\\p{L}\\p{N}_])(?:${WHOLE_WORDS.join("|")})(?![\\p{L}\\p{N}_])`,
  ...BARE_WORDS,
].join("|");
const SECRET_WORD = new RegExp(ANY_WORD, "giu");

/** An empty field as dialogs draw it; what stands behind it is the rest of the dialog. */
const SECRET_FIELD = new RegExp(`(?:${ANY_WORD})\\s?[:：]\\s?_{8}`, "iu");

/** Only in capitals: a pin is also a needle. */
const PIN = /(?<![\p{L}\p{N}_])PIN(?![\p{L}\p{N}_])/gu;

/** A question about a secret that is answered with yes or no. */
const YES_OR_NO = /[[(]\s*(?:y(?:es)?\s*[/|]\s*no?|no?\s*[/|]\s*y(?:es)?)\b/i;

/** What programs that read source or data say of tokens. */
const ABOUT_SYNTAX = /\b(?:unexpected|syntax|parse|parser|parsing|lexer)\b/i;

/** What a prompt ends with. */
const ASKS = [":", "：", "?", "？", "؟"];

/** What ends a question that began with a question mark, as libraries for such questions draw it. */
const ASKS_WHEN_QUESTION = [...ASKS, "›", "❯", "»", ">", "…", "-"];

const QUESTION = /^[?◆◇▲✖◼]\s+/;

/** True when a dialog was drawn that has a field for a secret. */
export const showsSecretField = (lastLine: string): boolean =>
  SECRET_FIELD.test(lastLine.slice(-MAX_PROMPT_LENGTH));

/** True when a line of output, the last one, asks for a secret; for programs that hide in raw mode that they read one. */
export function looksLikeSecretPrompt(lastLine: string): boolean {
  if (showsSecretField(lastLine)) return true;
  const line = trimAny(lastLine.slice(-MAX_PROMPT_LENGTH), FRAME_CHARACTERS);
  const shown = withoutMask(line);
  const question = QUESTION.exec(shown)?.[0];
  const words = question === undefined ? shown : shown.slice(question.length);
  const end = lastEndOf(words);
  if (end === undefined || YES_OR_NO.test(words) || ABOUT_SYNTAX.test(words)) return false;
  const asks = question === undefined ? ASKS : ASKS_WHEN_QUESTION;
  if (asks.some((mark) => words.endsWith(mark))) return true;
  // Without a mark at its end a line is a prompt only where it says that it hides what is typed, or asks for no more.
  return shown !== line || (question !== undefined && end === words.length);
}

/** Where the last word for a secret ends. */
function lastEndOf(words: string): number | undefined {
  const ends = [...words.matchAll(SECRET_WORD), ...words.matchAll(PIN)].map(
    (match) => match.index + match[0].length,
  );
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function withoutMask(line: string): string {
  const note = HIDDEN_NOTES.find((hidden) => line.toLowerCase().endsWith(hidden));
  if (note !== undefined) return line.slice(0, -note.length).trim();
  let end = line.length;
  while (end > 0 && MASK_CHARACTERS.includes(line.charAt(end - 1))) end--;
  const before = line.charAt(end - 1);
  // Marks right after a word only stress it.
  return before.trim() === "" || ASKS.includes(before) ? line.slice(0, end).trim() : line;
}

function trimAny(text: string, characters: string): string {
  let start = 0;
  let end = text.length;
  const isAny = (character: string): boolean =>
    characters.includes(character) || character.trim() === "";
  while (start < end && isAny(text.charAt(start))) start++;
  while (end > start && isAny(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
