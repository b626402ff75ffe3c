// What can be taught besides cards, and the words that differ from them.

export const KINDS = ["cards", "triominos", "trama", "tronix"];
export const COLORS = ["rojo", "rosado", "celeste", "azul", "morado"];
export const KIND_WORDS = {
  es: {
    cards: { kind: "Baraja española" },
    triominos: {
      kind: "Fichas de triominó",
      what: "Coloca las fichas boca arriba, sin que se toquen, y haz fotos. Así Tapete sabe qué fichas hay en tu caja y avisa de las que no son de ella.",
      progress: (n, all) => `${n} de ${all} fichas`, complete: "¡Completo! Es tu caja.", doubtful: "¿Qué ficha es?",
      found: (n, sure) => `${n} fichas vistas, ${sure} seguras.`,
    },
    trama: {
      kind: "Cuerdas de Trama",
      what: "Pon un telar con cuerdas de los cinco colores bajo la luz con la que vas a jugar y haz una foto. Corrige el color que no sea.",
      progress: (n, all) => `${n} de ${all} colores`, complete: "¡Los cinco colores!", doubtful: "¿De qué color es?",
      found: (n, sure) => `${n} cuerdas vistas, ${sure} seguras.`,
    },
    tronix: {
      kind: "Cartas de Tronix",
      what: "Coloca las cartas en filas, separadas, y haz una foto; dales la vuelta a todas en su sitio y añade la foto de los reversos. Cada foto cuenta cartas nuevas.",
      progress: (n, backs) => `${n} cartas, ${backs} con su reverso`, doubtful: "¿Qué cara es?",
      found: (n, sure) => `${n} cartas vistas, ${sure} seguras.`,
    },
  },
  en: {
    cards: { kind: "Spanish deck" },
    triominos: {
      kind: "Triomino tiles",
      what: "Lay the tiles face up, none touching another, and take pictures. Tapete then knows which tiles are in your box and tells those that are not.",
      progress: (n, all) => `${n} of ${all} tiles`, complete: "Complete! This is your box.", doubtful: "Which tile is it?",
      found: (n, sure) => `${n} tiles seen, ${sure} for sure.`,
    },
    trama: {
      kind: "Trama cords",
      what: "Put a loom with cords of all five colours under the light that you will play in and take a picture. Put right a colour that is wrong.",
      progress: (n, all) => `${n} of ${all} colours`, complete: "All five colours!", doubtful: "Which colour is it?",
      found: (n, sure) => `${n} cords seen, ${sure} for sure.`,
    },
    tronix: {
      kind: "Tronix cards",
      what: "Lay the cards out in rows, apart, and take a picture; turn each over in its place and add the picture of the backs. Every picture counts further cards.",
      progress: (n, backs) => `${n} cards, ${backs} with their backs`, doubtful: "Which face is it?",
      found: (n, sure) => `${n} cards seen, ${sure} for sure.`,
    },
  },
};
