"""Tests of components/fundwright_ui, except those of a slice's screens, which are beside its other tests."""
