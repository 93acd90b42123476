import { showToast } from "./toast.tsx";

/** Copies a text, and says so. */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(said);
  } catch {
    showToast("The browser does not let this page copy.", "bad");
  }
}
