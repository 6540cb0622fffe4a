"""The queries of training, limited to the owner: no workspace can reach another workspace's documents, passages, or vectors."""
