/** Prompts are short; earlier text is older output. */
const MAX_PROMPT_LENGTH = 300;

/** Masks in place of a secret, and field borders. */
const MASK_CHARACTERS = "*•●∗▪■·_";
const FRAME_CHARACTERS = "│┃║|▏▕";

/** Notes that programs print instead of a mask. */
const HIDDEN_NOTES = [
  "[hidden]",
  "[input is hidden]",
  "(hidden)",
  "(input is hidden)",
  "(press tab for no echo)",
];

/** Words that no other word ends with by chance, so that compounds such as `Datenbankpasswort` match. */
const WORD_ENDS = [
  "password|passphrase|passcode|passwd|passwort|kennwort|wachtwoord",
  "wachtwoordzin|lösenord|passord|kodeord|adgangskode|salasana|jelszó",
  "palavra-passe|contraseña|contrasenya|пароль|пароля|парола",
];

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

/** Words of scripts without word breaks, or with varying endings. */
const BARE_WORDS = [
  "パスワード|パスフレーズ|暗証番号|認証コード|密码|密碼|口令|验证码",
  "驗證碼|비밀번호|암호|인증 코드|รหัสผ่าน|पासवर्ड|סיסמה|סיסמא",
  "كلمة المرور|كلمة السر|رمز عبور|گذرواژه",
];

/** Linear: no alternative repeats another. */
const ANY_WORD = [
  `(?:${WORD_ENDS.join("|")})(?![\\p{L}\\p{N}_])`,
  `(?<![\\p{L}\\p{N}_])(?:${WHOLE_WORDS.join("|")})(?![\\p{L}\\p{N}_])`,
  ...BARE_WORDS,
].join("|");
const SECRET_WORD = new RegExp(ANY_WORD, "giu");

/** An empty field as dialogs draw it; the rest of the dialog follows. */
const SECRET_FIELD = new RegExp(`(?:${ANY_WORD})\\s?[:：]\\s?_{8}`, "iu");

/** Only in capitals: a pin is also a needle. */
const PIN = /(?<![\p{L}\p{N}_])PIN(?![\p{L}\p{N}_])/gu;

/** A yes/no question about a secret. */
const YES_OR_NO = /[[(]\s*(?:y(?:es)?\s*[/|]\s*no?|no?\s*[/|]\s*y(?:es)?)\b/i;

/** Parsers mention tokens, too. */
const ABOUT_SYNTAX = /\b(?:unexpected|syntax|parse|parser|parsing|lexer)\b/i;

/** Ends of a prompt. */
const ASKS = [":", "：", "?", "？", "؟"];

/** Ends of a question that starts with a question mark, as prompt libraries draw it. */
const ASKS_WHEN_QUESTION = [...ASKS, "›", "❯", "»", ">", "…", "-"];

const QUESTION = /^[?◆◇▲✖◼]\s+/;

/** A dialog with a field for a secret was drawn. */
export const showsSecretField = (lastLine: string): boolean =>
  SECRET_FIELD.test(lastLine.slice(-MAX_PROMPT_LENGTH));

/** Whether the last output line asks for a secret; for programs that read it in raw mode. */
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
  // Without a final mark, a line is a prompt only where it says that input is hidden, or ends with the word itself.
  return shown !== line || (question !== undefined && end === words.length);
}

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
  // Marks right after a word only emphasise it.
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
