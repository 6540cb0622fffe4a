import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { AccountMenu } from "./AccountMenu";

const ada = {
  name: "Ada",
  email: "ada@example.org",
  label: "Account menu",
  logoutLabel: "Logout",
  links: [
    { label: "Train", href: "/dashboard/train", isCurrent: true },
    { label: "Account", href: "/dashboard/user/account", isCurrent: false },
  ],
  photo: "",
};

describe("AccountMenu", () => {
  it("opens with its button and shows who is signed in", async () => {
    await renderWidget(<AccountMenu {...ada} />);
    const button = screen.getByRole("button", { name: "Account menu" });
    expect(button.textContent).toBe("A");
    fireEvent.click(button);
    expect(await screen.findByText("ada@example.org")).toBeTruthy();
    expect(screen.getByRole("menuitem", { name: "Train" }).getAttribute("href")).toBe("/dashboard/train");
    expect(screen.getByRole("menuitem", { current: "page" }).textContent).toBe("Train");
  });

  it("shows the photo instead of the initial", async () => {
    await renderWidget(<AccountMenu {...ada} photo="/api/account/photos/1" />);
    const button = screen.getByRole("button", { name: "Account menu" });
    expect(button.querySelector("img")?.getAttribute("src")).toBe("/api/account/photos/1");
    expect(button.textContent).toBe("");
  });

  it("is a landmark, although it is rendered outside of the others", async () => {
    await renderWidget(<AccountMenu {...ada} />);
    fireEvent.click(screen.getByRole("button", { name: "Account menu" }));
    const landmark = await screen.findByRole("region", { name: "Account menu" });
    expect(landmark.contains(screen.getByRole("menu"))).toBe(true);
  });

  it("signs out", async () => {
    const onLogout = vi.fn();
    await renderWidget(<AccountMenu {...ada} onLogout={onLogout} />);
    fireEvent.click(screen.getByRole("button", { name: "Account menu" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Logout" }));
    expect(onLogout).toHaveBeenCalledOnce();
  });
});
