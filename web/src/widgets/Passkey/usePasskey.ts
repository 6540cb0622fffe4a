import { useEffect, useRef } from "react";
import type { PasskeyAnswered, PasskeyRefused } from "../../generated/widgets";

interface Answers {
  readonly onAnswer?: ((payload: PasskeyAnswered) => void) | undefined;
  readonly onRefused?: ((payload: PasskeyRefused) => void) | undefined;
}

export function supportsPasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** Asks the browser to create or use a passkey each time `options` change; they determine which of the two. */
export function usePasskey(options: string, answers: Answers): void {
  const latest = useRef(answers);
  useEffect(() => {
    latest.current = answers;
  });
  useEffect(() => {
    if (options === "" || !supportsPasskeys()) return undefined;
    const leaving = new AbortController();
    void (async () => {
      try {
        const credential = await ask(options, leaving.signal);
        latest.current.onAnswer?.({ credential: JSON.stringify(credential) });
      } catch (error) {
        if (!leaving.signal.aborted) latest.current.onRefused?.({ reason: error instanceof DOMException ? error.name : "" });
      }
    })();
    return () => leaving.abort();
  }, [options]);
}

function ask(options: string, signal: AbortSignal): Promise<Credential | null> {
  const given = JSON.parse(options) as PublicKeyCredentialCreationOptionsJSON | PublicKeyCredentialRequestOptionsJSON;
  return "user" in given
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given), signal })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given), signal });
}
