"""The blog, and what people say about the product."""
