import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { Passkey } from "./Passkey";

const props = { label: "Sign in with a passkey", unsupportedLabel: "No passkeys here", options: "", isBlock: false };
const get = vi.fn();
const create = vi.fn();

/** A browser that supports passkeys. */
const Known = Object.assign(() => undefined, {
  parseRequestOptionsFromJSON: (options: unknown) => ({ parsed: options }),
  parseCreationOptionsFromJSON: (options: unknown) => ({ made: options }),
});

beforeEach(() => {
  get.mockReset();
  create.mockReset();
  vi.stubGlobal("PublicKeyCredential", Known);
  Object.defineProperty(navigator, "credentials", { value: { get, create }, configurable: true });
});

describe("Passkey", () => {
  it("is a button that asks for options", async () => {
    const onStart = vi.fn();
    await renderWidget(<Passkey {...props} onStart={onStart} />);
    fireEvent.click(screen.getByRole("button", { name: "Sign in with a passkey" }));
    expect(onStart).toHaveBeenCalledOnce();
    expect(get).not.toHaveBeenCalled();
  });

  it("asks the browser for one that signs in, and says what it answered", async () => {
    get.mockResolvedValue({ toJSON: () => ({ id: "abc" }) });
    const onAnswer = vi.fn();
    await renderWidget(<Passkey {...props} options='{"rpId":"localhost"}' onAnswer={onAnswer} />);
    await waitFor(() => expect(onAnswer).toHaveBeenCalledWith({ credential: '{"id":"abc"}' }));
    expect(get).toHaveBeenCalledWith(expect.objectContaining({ publicKey: { parsed: { rpId: "localhost" } } }));
  });

  it("asks the browser to make one when the options name a user", async () => {
    create.mockResolvedValue({ toJSON: () => ({ id: "new" }) });
    const onAnswer = vi.fn();
    await renderWidget(<Passkey {...props} label="" options='{"user":{"id":"a"}}' onAnswer={onAnswer} />);
    await waitFor(() => expect(onAnswer).toHaveBeenCalledWith({ credential: '{"id":"new"}' }));
    expect(create).toHaveBeenCalledWith(expect.objectContaining({ publicKey: { made: { user: { id: "a" } } } }));
  });

  it("says why the browser gave none", async () => {
    get.mockRejectedValue(new DOMException("Canceled", "NotAllowedError"));
    const onRefused = vi.fn();
    await renderWidget(<Passkey {...props} options='{"rpId":"localhost"}' onRefused={onRefused} />);
    await waitFor(() => expect(onRefused).toHaveBeenCalledWith({ reason: "NotAllowedError" }));
  });

  it("says so, or nothing, where the browser knows none", async () => {
    vi.stubGlobal("PublicKeyCredential", undefined);
    await renderWidget(<Passkey {...props} options='{"rpId":"localhost"}' />);
    expect(screen.getByText("No passkeys here")).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
    expect(get).not.toHaveBeenCalled();
  });
});
