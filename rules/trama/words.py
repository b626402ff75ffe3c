"""What the referee says about Trama: one code, one sentence in each language."""

from __future__ import annotations

from typing import Any

from rules.game import Violation

SENTENCES: dict[str, tuple[str, str]] = {
    # A loom by itself.
    "diagonal": (
        "El cordel {cord} va en diagonal, del carril {lane} al {to}.",
        "Cord {cord} runs diagonally, from lane {lane} to lane {to}.",
    ),
    "lane_occupied": ("Hay dos cordeles en el carril {lane}.", "There are two cords in lane {lane}."),
    "lane_off_loom": (
        "El telar no tiene carril {lane}: son {lanes} por eje.",
        "The loom has no lane {lane}: there are {lanes} per axis.",
    ),
    "unknown_color": ("No hay cordeles de color {color}.", "There are no cords of colour {color}."),
    "crossing_missing": (
        "Falta decir qué cordel va por encima en el cruce {crossing}.",
        "Nobody says which cord is on top at crossing {crossing}.",
    ),
    "crossing_without_cords": (
        "En el cruce {crossing} no se cruzan dos cordeles.",
        "No two cords cross at {crossing}.",
    ),
    "crossing_contradiction": (
        "El cruce {crossing} aparece dos veces con cordeles distintos por encima.",
        "Crossing {crossing} appears twice with a different cord on top.",
    ),
    "wrong_lanes": (
        "El telar tiene {count} carriles por eje y se juega con {lanes}.",
        "The loom has {count} lanes per axis; the game is played with {lanes}.",
    ),
    # A loom against its earlier self.
    "cord_removed": (
        "Falta el cordel {cord}, que ya estaba tejido.",
        "Cord {cord} was woven before and is gone.",
    ),
    "cord_moved": (
        "El cordel {cord} se ha movido a {to}; un cordel tejido no se mueve.",
        "Cord {cord} has moved to {to}; a woven cord stays.",
    ),
    "cord_recolored": (
        "El cordel {cord} ahora es {color}; un cordel tejido no se cambia.",
        "Cord {cord} is now {color}; a woven cord is not exchanged.",
    ),
    "crossing_flipped": (
        "El cruce {crossing} se ha invertido: antes iba por encima {top}.",
        "Crossing {crossing} has flipped: {top} was on top before.",
    ),
    # Weaving.
    "crossing_not_new": (
        "El cruce {crossing} ya estaba tejido.",
        "Crossing {crossing} was woven before.",
    ),
    "too_many_cords": ("Se tejen {due} cordeles por ronda, no {count}.", "A round has {due} new cords, not {count}."),
    "too_few_cords": (
        "Faltan cordeles: hay {count} nuevos y se tejen {due} por ronda.",
        "Cords are missing: {count} are new and a round has {due}.",
    ),
    "too_many_woven": (
        "El telar del jugador {player} tiene {count} cordeles y le tocan {due}.",
        "Player {player}'s loom has {count} cords where {due} are due.",
    ),
    "too_few_woven": (
        "Al telar del jugador {player} le faltan cordeles: tiene {count} de {due}.",
        "Player {player}'s loom lacks cords: it has {count} of {due}.",
    ),
    "color_exhausted": (
        "Habría {count} cordeles de color {color} y solo existen {limit}.",
        "There would be {count} cords of colour {color}, and only {limit} exist.",
    ),
    "not_drafted": (
        "El jugador {player} no eligió esos cordeles, sino {draft}.",
        "Player {player} did not draft these cords but {draft}.",
    ),
    "already_woven": (
        "El jugador {player} ya ha tejido en esta ronda.",
        "Player {player} has already woven in this round.",
    ),
    "wrong_phase": (
        "Ahora toca {es}, no {es_tried}.",
        "The phase is {en}, not {en_tried}.",
    ),
    # Buttons.
    "card_not_on_table": ("La carta {card} no está en la mesa.", "Card {card} is not on the table."),
    "button_on_objective": (
        "No se ponen botones en el objetivo compartido.",
        "No buttons go on the shared objective.",
    ),
    "wrong_button": (
        "El botón {es_shape} no va en la carta {card}: redondo en adyacentes, cuadrado en entrelazados.",
        "A {shape} button does not go on card {card}: round on adjacent, square on interlaced patterns.",
    ),
    "same_card_twice": (
        "El jugador {player} ya tiene un botón en la carta {card}.",
        "Player {player} already has a button on card {card}.",
    ),
    "no_button_left": (
        "Al jugador {player} no le quedan botones de forma {es_shape}.",
        "Player {player} has no {shape} button left.",
    ),
    "second_button": (
        "El jugador {player} ya ha puesto su botón de esta ronda.",
        "Player {player} has already placed this round's button.",
    ),
    "game_over": ("La partida ya ha terminado.", "The game is already over."),
}


def violation(code: str, where: dict[str, Any], **words: Any) -> Violation:
    """The violation of that code with its sentences filled in."""
    es, en = SENTENCES[code]
    return Violation(code, es.format(**words), en.format(**words), where)
