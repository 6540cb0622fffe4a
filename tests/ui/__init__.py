"""Tests of components/fundwright_ui, except the screens of a slice, whose tests are with the slice's other tests."""
