"""The app's own help: a file of Markdown for each topic and language."""
