"""Referee, match, API, page and command line: what meets a person."""
