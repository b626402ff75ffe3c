"""The subcommands of `tapete`, grouped by what they work on."""
