"""Speed, measured on this machine: each module has `rows(quick) -> list[Row]`; `tapete bench` prints them."""
