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
  it("is a button that requests options", async () => {
    const onStart = vi.fn();
    await renderWidget(<Passkey {...props} onStart={onStart} />);
    fireEvent.click(screen.getByRole("button", { name: "Sign in with a passkey" }));
    expect(onStart).toHaveBeenCalledOnce();
    expect(get).not.toHaveBeenCalled();
  });

  it("asks the browser for a passkey to sign in, and sends the response", async () => {
    get.mockResolvedValue({ toJSON: () => ({ id: "abc" }) });
    const onAnswer = vi.fn();
    await renderWidget(<Passkey {...props} options='{"rpId":"localhost"}' onAnswer={onAnswer} />);
    await waitFor(() => expect(onAnswer).toHaveBeenCalledWith({ credential: '{"id":"abc"}' }));
    expect(get).toHaveBeenCalledWith(expect.objectContaining({ publicKey: { parsed: { rpId: "localhost" } } }));
  });

  it("asks the browser to create a passkey if the options name a user", async () => {
    create.mockResolvedValue({ toJSON: () => ({ id: "new" }) });
    const onAnswer = vi.fn();
    await renderWidget(<Passkey {...props} label="" options='{"user":{"id":"a"}}' onAnswer={onAnswer} />);
    await waitFor(() => expect(onAnswer).toHaveBeenCalledWith({ credential: '{"id":"new"}' }));
    expect(create).toHaveBeenCalledWith(expect.objectContaining({ publicKey: { made: { user: { id: "a" } } } }));
  });

  it("shows why the browser returned none", async () => {
    get.mockRejectedValue(new DOMException("Canceled", "NotAllowedError"));
    const onRefused = vi.fn();
    await renderWidget(<Passkey {...props} options='{"rpId":"localhost"}' onRefused={onRefused} />);
    await waitFor(() => expect(onRefused).toHaveBeenCalledWith({ reason: "NotAllowedError" }));
  });

  it("shows a message, or nothing, if the browser does not support passkeys", async () => {
    vi.stubGlobal("PublicKeyCredential", undefined);
    await renderWidget(<Passkey {...props} options='{"rpId":"localhost"}' />);
    expect(screen.getByText("No passkeys here")).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
    expect(get).not.toHaveBeenCalled();
  });
});
