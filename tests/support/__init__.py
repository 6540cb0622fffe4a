"""What tests of several areas use: makers of records, processes, clients, and measures."""
