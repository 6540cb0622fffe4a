"""The facts of a workspace's organization: what its documents state in a fixed form, and what people decided about it."""
