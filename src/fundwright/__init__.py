"""Fundwright: find federal funding, sort it, learn your documents, draft with citations."""

import os

__version__ = "0.1.0"

# Before any import of onnxruntime, which otherwise reports to its maker and keeps a device id in the home folder. Its own function for
# this, `disable_telemetry_events`, comes too late. Processes that this one starts inherit the variable.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# Tokenizers then use the thread that calls them, which has a low priority, and no threads of their own.
os.environ["TOKENIZERS_PARALLELISM"] = "false"
