import { say } from "./toast.tsx";

/** Copies a text, and says so. */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(said);
  } catch {
    say("The browser does not let this page copy.", "bad");
  }
}
