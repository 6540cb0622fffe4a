import type { Attributes, Operation, ParentNode, Path, TreeNode } from "./protocol";

/** Thrown when an operation does not fit the tree; the runtime then asks the server for the whole tree. */
export class TreeMismatch extends Error {
  override name = "TreeMismatch";
}

/** The tree after the operations. Parts that no operation changes remain the same objects. */
export function applyOperations(tree: TreeNode, operations: readonly Operation[]): TreeNode {
  return operations.reduce((current, operation) => replaceAt(current, operation[1], 0, change(operation)), tree);
}

type Change = (node: TreeNode) => TreeNode;

function change(operation: Operation): Change {
  switch (operation[0]) {
    case "set": {
      const [, , node] = operation;
      return () => node;
    }
    case "attrs": {
      const [, , changed, removed] = operation;
      return (node) => {
        const parent = asParent(node);
        const { a: before = {}, ...rest } = parent as { a?: Attributes };
        const after = { ...before, ...changed };
        for (const name of removed) Reflect.deleteProperty(after, name);
        return { ...rest, a: after } as ParentNode;
      };
    }
    case "events": {
      const [, , handlers] = operation;
      return (node) => ({ ...asParent(node), e: handlers });
    }
    case "children": {
      const [, , children] = operation;
      return (node) => {
        const parent = asParent(node);
        return { ...parent, c: children.map((child) => (typeof child === "number" ? childAt(parent, child) : child)) };
      };
    }
  }
}

function replaceAt(node: TreeNode, path: Path, depth: number, make: Change): TreeNode {
  const index = path[depth];
  if (index === undefined) return make(node);
  const parent = asParent(node);
  const children = [...(parent.c ?? [])];
  children[index] = replaceAt(childAt(parent, index), path, depth + 1, make);
  return { ...parent, c: children };
}

function childAt(parent: ParentNode, index: number): TreeNode {
  const child = parent.c?.[index];
  if (child === undefined) throw new TreeMismatch(`No child ${index}`);
  return child;
}

function asParent(node: TreeNode): ParentNode {
  if (typeof node === "string" || "x" in node) throw new TreeMismatch("A leaf has no attributes and no children");
  return node;
}
