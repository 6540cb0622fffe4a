import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { Toaster } from "./Toaster";

describe("Toaster", () => {
  it("shows what is said, once", async () => {
    const runtime = await renderWidget(<Toaster />);
    act(() => runtime.toast("The category was created.", "success"));
    expect(await screen.findAllByText("The category was created.")).toHaveLength(1);
    expect(runtime.toasts.get()).toEqual([]);
  });

  it("says one refusal of many at once", async () => {
    const runtime = await renderWidget(<Toaster />);
    act(() => {
      for (let count = 0; count < 20; count += 1) runtime.toast("Too much happened at once.", "error");
    });
    expect(await screen.findAllByText("Too much happened at once.")).toHaveLength(1);
    act(() => runtime.toast("Too much happened at once.", "error"));
    expect(screen.getAllByText("Too much happened at once.")).toHaveLength(1);
  });

  it("reads it out to screen readers", async () => {
    const runtime = await renderWidget(<Toaster />);
    act(() => runtime.toast("The draft could not be saved.", "error"));
    expect((await screen.findByRole("alert")).textContent).toContain("The draft could not be saved.");
  });

  it("goes away when it is closed", async () => {
    const runtime = await renderWidget(<Toaster />);
    act(() => runtime.toast("Saved.", "info"));
    await screen.findByText("Saved.");
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByText("Saved.")).toBeNull());
  });
});
