"""Files: third-party readers in a child process with limits, and writing that loses nothing."""
