"""Share links: a draft or a list of opportunities for people without an account."""
