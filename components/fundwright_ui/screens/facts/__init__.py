"""The facts of an organization, about which people decide."""
