"""What can be wrong in Tronix, in both languages."""

from __future__ import annotations

from typing import Any

from rules.game import Violation

_SENTENCES: dict[str, tuple[str, str]] = {
    "game_over": ("La partida ha terminado.", "The game is over."),
    "no_such_player": ("No hay ningún jugador {player}.", "There is no player {player}."),
    "out_of_turn": (
        "Juega el jugador {player}, pero le toca al {turn}.",
        "Player {player} plays, but it is {turn}'s turn.",
    ),
    "too_many_cards": (
        "El jugador {player} ya ha jugado todas las cartas de su turno.",
        "Player {player} has already played all the cards of the turn.",
    ),
    "no_passing": ("No está permitido pasar.", "Passing is not allowed."),
    "swap": (
        "Intercambiar las cartas de {source} y {cell} no es un movimiento.",
        "Swapping the cards at {source} and {cell} is not a move.",
    ),
    "not_god_mode": (
        "No se mueven cartas hasta que todas las manos estén vacías.",
        "No card is moved until all hands are empty.",
    ),
    "hand_empty": ("El jugador {player} no tiene cartas que colocar.", "Player {player} has no card to place."),
    "no_such_card": ("No hay ninguna carta en {source}.", "There is no card at {source}."),
    "last_moved": (
        "La carta de {source} es la última que se ha movido.",
        "The card at {source} is the one that was moved last.",
    ),
    "unchanged": (
        "La carta de {source} queda como estaba: eso es pasar.",
        "The card at {source} stays as it was: that is passing.",
    ),
    "off_grid": (
        "La carta no está alineada con la cuadrícula: {cell}.",
        "The card is not aligned with the grid: {cell}.",
    ),
    "wrong_orientation": (
        "La carta de {cell} está girada un cuarto de vuelta respecto a las demás.",
        "The card at {cell} lies a quarter turn off the others.",
    ),
    "cell_occupied": ("Hay dos cartas en {cell}.", "There are two cards at {cell}."),
    "opening_cell": (
        "La primera carta de una mesa vacía es el origen 0,0, no {cell}.",
        "The first card of an empty table is the origin 0,0, not {cell}.",
    ),
    "no_connection": (
        "La carta de {cell} no se conecta con ninguna otra.",
        "The card at {cell} connects with no other.",
    ),
    "face_not_in_deck": ("La baraja no tiene ninguna cara {face}.", "The deck has no face {face}."),
    "deck_exhausted": (
        "La baraja no tiene tantas cartas con la cara {face}.",
        "The deck does not have that many cards with the face {face}.",
    ),
    "not_in_hand": (
        "El jugador {player} no tiene ninguna carta con la cara {face}.",
        "Player {player} has no card with the face {face}.",
    ),
    "wrong_card": (
        "La carta de {source} no puede mostrar la cara {face}.",
        "The card at {source} cannot show the face {face}.",
    ),
    "island": (
        "Al mover la carta de {source} queda una isla en {cell}.",
        "Moving the card at {source} leaves an island at {cell}.",
    ),
    "isolated": (
        "La carta de {cell} no se conecta con el resto y aún no se ha retirado ninguna.",
        "The card at {cell} is cut off from the rest, and none has been taken yet.",
    ),
}


def violation(code: str, **facts: Any) -> Violation:
    """The violation with that code; `facts` fill its sentences and, for cells and seats, say where it is."""
    shown = {key: f"{value[0]},{value[1]}" if isinstance(value, tuple) else value for key, value in facts.items()}
    es, en = (sentence.format(**shown) for sentence in _SENTENCES[code])
    where = {key: list(value) if isinstance(value, tuple) else value for key, value in facts.items()}
    return Violation(code, es, en, {key: str(value) if key == "face" else value for key, value in where.items()})
