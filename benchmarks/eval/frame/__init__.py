"""What the modules of the evaluation share: figures, the real data, the product with kept embeddings, and BM25 as a floor."""
