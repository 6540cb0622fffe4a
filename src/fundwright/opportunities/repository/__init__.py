"""All queries of opportunities, grouped by purpose."""
