import fc from "fast-check";
import { expect, test } from "vitest";
import { looksLikeSecretPrompt, showsSecretField } from "./secret-prompt.ts";
import { cpuMs } from "../testing/cpu-ms.ts";

test.for([
  "Password: ",
  "password:",
  "[sudo] password for ann: ",
  "[sudo] password for ann: *****",
  "[sudo] Passwort für ann: ",
  "[sudo] Mot de passe de ann : ",
  "[sudo] contraseña para ann: ",
  "[sudo] senha para ann: ",
  "[sudo] wachtwoord voor ann: ",
  "[sudo] hasło użytkownika ann: ",
  "[sudo] пароль для ann: ",
  "[sudo] ann 的密码：",
  "[sudo] ann のパスワード: ",
  "[sudo] ann의 암호: ",
  "[sudo] ann için parola: ",
  "doas (ann@host) password: ",
  "ann@example.org's password: ",
  "(ann@example.org) Password: ",
  "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ",
  "Enter passphrase (empty for no passphrase): ",
  "Enter same passphrase again: ",
  "Enter PIN for 'YubiKey PIV': ",
  "Enter PIN for authenticator: ",
  "New password: ",
  "Retype new password: ",
  "Current password: ",
  "Geben Sie ein neues Passwort ein: ",
  "Datenbankpasswort: ",
  "Password for 'https://ann@github.com': ",
  "Passwort für „https://ann@github.com“: ",
  "Enter password: ",
  "Password for user postgres: ",
  "Enter pass phrase for server.key:",
  "Enter PEM pass phrase:",
  "enter AES-256-CBC encryption password:",
  "Verifying - enter AES-256-CBC encryption password:",
  "│ Passphrase: ________________________________ │",
  "Enter passphrase: ",
  "Token (will be hidden): ",
  "GitHub token: ",
  "npm password: ",
  "Enter OTP: ",
  "Verification code: ",
  "Passcode or option (1-3): ",
  "Enter MFA code for arn:aws:iam::123:mfa/ann: ",
  "AWS Secret Access Key [None]: ",
  "Vault password: ",
  "BECOME password: ",
  "API key: ",
  "? Enter your password: [hidden]",
  "? Enter your password [input is hidden]",
  "? Password ********",
  "? npm token ›",
  "? What is your GitHub password? ",
  "? Enter a secret value",
  "? Enter password › ****",
  "◆  Enter the passphrase: ",
  "🔐 Password: (press TAB for no echo) ",
  "🔐 Please enter passphrase for disk sda3: (press TAB for no echo) ",
  `x Passphrase: ${"_".repeat(40)} xxxx<OK><Cancel>     xm${"q".repeat(56)}j`,
  `x PIN\u00a0xPassword: ${"_".repeat(40)} x<OK>`,
  "Please enter your recovery code:",
  "Mật khẩu: ",
  "كلمة المرور:",
  "סיסמה:",
  "Heslo: ",
  "Jelszó: ",
  "Salasana: ",
  "Lösenord: ",
  "Κωδικός πρόσβασης: ",
])("%j asks for a secret", (line) => {
  expect(looksLikeSecretPrompt(line)).toBe(true);
});

test.for([
  "",
  " ",
  ":",
  "$ ",
  "ann@host:~/secret$ ",
  "ann@host ~/secret> ",
  "~/token ❯ ",
  "PS C:\\secret> ",
  "Username: ",
  "Name: ",
  "Password changed successfully.",
  "password updated",
  "Your password will expire in 3 days",
  "Found 3 passwords:",
  "Compiling tokenizer v0.1.0",
  "SyntaxError: Unexpected token:",
  "parse error near token:",
  "? Save the password? (y/N) ",
  "Overwrite the stored token? [y/N]: ",
  "Forget this secret (yes/no)? ",
  "? Choose a token type (Use arrow keys)",
  "> password manager",
  "Ok to proceed? (y) ",
  "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
  "exit code: ",
  "error code: ",
  "Enter the code: ",
  "pin the version: ",
  "spin:",
  "Shopping cart:",
  "secretary: ",
  "Reset your **password**",
  "export TOKEN=abc123",
  "--password=hunter2",
  "100% [**********]",
  "tokens per second: ",
  "(END)",
  "-- INSERT --",
  ">>> ",
  "mysql> ",
  "(press TAB for no echo) ",
  `Name: ${"_".repeat(40)} <OK>`,
  "password_________",
  `Password reset by: ${"_".repeat(40)} <OK>`,
])("%j asks for no secret", (line) => {
  expect(looksLikeSecretPrompt(line)).toBe(false);
});

test("a dialog is told from a line", () => {
  expect(showsSecretField(`xx Passphrase: ${"_".repeat(40)} xx<OK><Cancel> xx`)).toBe(true);
  expect(showsSecretField("Passphrase: ")).toBe(false);
});

test("only the end of a long line counts", () => {
  expect(looksLikeSecretPrompt(`${"x".repeat(1_000_000)} password:`)).toBe(true);
  expect(looksLikeSecretPrompt(`password: ${"x".repeat(1_000_000)}:`)).toBe(false);
});

test("no line takes long", () => {
  const part = fc.constantFrom(
    "password",
    "one ",
    "frase de ",
    "[",
    "(",
    "y",
    "/",
    "*",
    " ",
    ":",
    "?",
  );
  const search = (): void =>
    fc.assert(
      fc.property(fc.array(part, { maxLength: 2000 }), (parts) => {
        expect(looksLikeSecretPrompt(parts.join(""))).toBeTypeOf("boolean");
      }),
      { numRuns: 300 },
    );
  expect(cpuMs(search)).toBeLessThan(5000);
});
