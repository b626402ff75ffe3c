"""The illegal placements that a camera can see, by game: what `play(..., illegal=code)` can stage."""

from __future__ import annotations

VISIBLE_CODES: dict[str, tuple[str, ...]] = {
    "triominos": (
        "value_clash",
        "no_side",
        "tile_on_table",
        "mirrored_tile",
        "off_lattice",
        "overlap",
        "tile_moved",
        "tile_removed",
    ),
    "truco": (
        "rank_not_used",
        "joker_not_used",
        "card_seen",
        "out_of_turn",
        "third_card",
        "bid_pending",
        "hand_over",
        "card_removed",
    ),
    "trichon": ("card_played", "too_many_jokers", "cards_not_in_line", "card_removed"),
    "tronix": (
        "no_connection",
        "off_grid",
        "wrong_orientation",
        "cell_occupied",
        "not_god_mode",
        "hand_empty",
        "last_moved",
        "wrong_card",
        "island",
        "swap",
        "card_removed",
    ),
    "trama": (
        "too_many_cords",
        "too_few_cords",
        "diagonal",
        "lane_occupied",
        "wrong_lanes",
        "color_exhausted",
        "cord_moved",
        "cord_removed",
        "cord_recolored",
        "crossing_flipped",
        "already_woven",
        "wrong_phase",
    ),
}
