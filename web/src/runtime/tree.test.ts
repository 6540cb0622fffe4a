import { describe, expect, it } from "vitest";
import type { ElementNode, TreeNode } from "./protocol";
import { applyOperations, TreeMismatch } from "./tree";

function childrenOf(node: TreeNode | undefined): readonly ElementNode[] {
  if (node === undefined || typeof node === "string" || "x" in node) throw new Error("a leaf");
  return (node.c ?? []) as readonly ElementNode[];
}

const quiet: ElementNode = { t: "p", c: ["quiet"] };
const tree: TreeNode = {
  f: 1,
  c: [{ t: "ul", a: { className: "list", hidden: true }, c: [{ t: "li", k: "a", c: ["one"] }, { t: "li", k: "b", c: ["two"] }] }, quiet],
};

describe("applyOperations", () => {
  it("replaces a node, and the whole tree for an empty path", () => {
    expect(applyOperations(tree, [["set", [0, 1, 0], "2"]])).toMatchObject({ c: [{ c: [{}, { k: "b", c: ["2"] }] }, quiet] });
    expect(applyOperations(tree, [["set", [], "gone"]])).toBe("gone");
  });

  it("changes and removes attributes", () => {
    const next = applyOperations(tree, [["attrs", [0], { className: "open" }, ["hidden"]]]);
    expect(childrenOf(next)[0]?.a).toEqual({ className: "open" });
  });

  it("replaces all event handlers", () => {
    const next = applyOperations(tree, [["events", [0], { onClick: { h: "1" } }]]);
    expect(childrenOf(next)[0]?.e).toEqual({ onClick: { h: "1" } });
  });

  it("keeps children by their old index and adds new ones", () => {
    const next = applyOperations(tree, [["children", [0], [1, { t: "li", k: "c" }, 0]]]);
    expect(childrenOf(childrenOf(next)[0]).map(({ k }) => k)).toEqual(["b", "c", "a"]);
  });

  it("applies operations in order", () => {
    const next = applyOperations(tree, [
      ["children", [0], [1]],
      ["set", [0, 0, 0], "first now"],
    ]);
    expect(next).toMatchObject({ c: [{ c: [{ k: "b", c: ["first now"] }] }, quiet] });
  });

  it("keeps the object identity of parts that no operation changes", () => {
    const next = applyOperations(tree, [["set", [0, 0, 0], "1"]]);
    expect(childrenOf(next)[1]).toBe(quiet);
    expect(childrenOf(childrenOf(next)[0])[1]).toBe(childrenOf(childrenOf(tree)[0])[1]);
    expect(tree).toMatchObject({ c: [{ c: [{ c: ["one"] }, {}] }, {}] });
  });

  it("rejects a path that does not exist", () => {
    expect(() => applyOperations(tree, [["set", [0, 7], "x"]])).not.toThrow(RangeError);
    expect(() => applyOperations(tree, [["set", [0, 7], "x"]])).toThrow(TreeMismatch);
    expect(() => applyOperations(tree, [["attrs", [0, 0, 0], {}, []]])).toThrow(TreeMismatch);
  });
});
