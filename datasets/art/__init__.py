"""The pieces as the project draws them: vector art in millimetres, many styles each, seeded."""
