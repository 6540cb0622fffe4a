"""Shared by the modules of the evaluation: figures, the real data, the product with cached embeddings, and BM25 as a baseline."""
