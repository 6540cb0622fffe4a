"""Shared by tests of several areas: factories, processes, clients, and measurements."""
