"""What the referee says about El Truco: one code, one sentence in each language."""

from __future__ import annotations

from typing import Any

from rules.game import Violation

SENTENCES: dict[str, tuple[str, str]] = {
    "game_over": ("La partida ya ha terminado.", "The match is already over."),
    "joker_not_used": ("El truco se juega sin comodines.", "El Truco is played without comodines."),
    "rank_not_used": (
        "El {card} no está en la baraja de 40: no hay ochos ni nueves.",
        "{card} is not in the 40-card deck: there are no eights or nines.",
    ),
    "card_seen": (
        "El {card} ya se ha visto en este reparto (jugador {by}).",
        "{card} has been seen before in this deal (player {by}).",
    ),
    "third_card": (
        "Esta baza ya tiene sus dos cartas; el {card} sería la tercera.",
        "This trick already has its two cards; {card} would be the third.",
    ),
    "out_of_turn": (
        "No le toca al jugador {player}, sino al {turn}.",
        "It is not player {player}'s turn but player {turn}'s.",
    ),
    "bid_pending": (
        "Hay un «{bid}» sin contestar: primero quiero, no quiero o subir.",
        "A «{bid}» is waiting for its answer: quiero, no quiero or a raise comes first.",
    ),
    "own_bid": (
        "El jugador {player} no puede contestar a su propio «{bid}».",
        "Player {player} cannot answer their own «{bid}».",
    ),
    "no_bid": ("No hay ningún envite que contestar.", "There is no bid to answer."),
    "bid_out_of_order": (
        "Ahora no se puede decir «{bid}»; el siguiente envite es {next}.",
        "«{bid}» cannot be said now; the next bid is {next}.",
    ),
    "bid_wrong_side": (
        "Solo puede subir quien aceptó el último envite, el jugador {owner}.",
        "Only the side that accepted the last bid may raise: player {owner}.",
    ),
    "hand_over": ("Esta mano ya ha terminado.", "This hand is already over."),
    "hand_void": (
        "Esta mano es nula: la otra mano del reparto ganó el toro.",
        "This hand is void: the other hand of the deal won the toro.",
    ),
    "not_in_hand": (
        "El jugador {player} no tiene el {card} en la mano.",
        "Player {player} does not hold {card}.",
    ),
    "in_other_hand": (
        "El {card} está en la mano del jugador {by}.",
        "{card} is in player {by}'s hand.",
    ),
    "deal_not_over": (
        "No se puede repartir: hay una mano sin terminar.",
        "The next deal has to wait: a hand is not finished.",
    ),
    "hands_count": (
        "Se necesita una mano por jugador: {seats}, no {count}.",
        "One hand per player is needed: {seats}, not {count}.",
    ),
    "hand_size": (
        "La mano del jugador {player} tiene {count} cartas en vez de tres.",
        "Player {player}'s hand has {count} cards instead of three.",
    ),
    "card_repeated": ("El {card} aparece dos veces.", "{card} appears twice."),
    "same_player_twice": (
        "El jugador {player} tiene dos cartas en la misma baza.",
        "Player {player} has two cards on the same trick.",
    ),
    "trick_incomplete": (
        "La baza {trick} está incompleta y ya hay cartas en la siguiente.",
        "Trick {trick} is incomplete and there are cards on the next one.",
    ),
    "too_many_tricks": ("Una mano tiene tres bazas, no {count}.", "A hand has three tricks, not {count}."),
    "not_on_board": (
        "El jugador {player} no juega en este tablero.",
        "Player {player} does not play on this board.",
    ),
}


def violation(code: str, where: dict[str, Any], **words: Any) -> Violation:
    """The violation of that code with its sentences filled in."""
    es, en = SENTENCES[code]
    return Violation(code, es.format(**words), en.format(**words), where)
