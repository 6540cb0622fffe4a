"""Tests of activity."""
