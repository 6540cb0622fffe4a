"""Reads files of any format as a tree of blocks."""
