"""Comments of the members of a workspace on what other slices own, such as drafts."""
