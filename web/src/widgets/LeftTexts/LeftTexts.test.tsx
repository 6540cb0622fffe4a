import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { keepText } from "../../runtime/drafts";
import { renderWidget } from "../../test/renderWidget";
import { LeftTexts } from "./LeftTexts";

function keep(account: string, heading: string): void {
  keepText(account, "/api/drafts/d/sections/s", { id: account, at: Date.now(), heading, text: `Typed by ${account}` } as never);
}

afterEach(() => localStorage.clear());

it("lists texts of workspaces that the person has left, until they are discarded", async () => {
  for (const [account, heading] of Object.entries({ "ada/left": "Roofs", "ada/joined": "Gutters", ada: "Own", "bob/left": "Of Bob" })) keep(account, heading);
  await renderWidget(<LeftTexts workspaces={["ada", "joined"]} />, "ada");
  expect(screen.getAllByText(/You typed this/).map(({ textContent }) => textContent)).toEqual([
    "You typed this in “Roofs” before you left its workspace. It was not saved.",
  ]);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Copy your text" }));
  expect(await navigator.clipboard.readText()).toBe("Typed by ada/left");
  await act(async () => user.click(screen.getByRole("button", { name: "Discard" })));
  expect(document.body.firstElementChild?.innerHTML).toBe(""); // an empty element would keep the gap of the page
  expect(localStorage).toHaveLength(3);
});
