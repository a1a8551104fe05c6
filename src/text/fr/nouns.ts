/** Which nouns are feminine, so that "21 maisons" is "vingt et une maisons". */

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** Nouns that are counted often and whose ending does not tell. */
const FEMININE = words(
  `heure minute seconde page personne maison voiture place femme fille pièce chambre salle école semaine rue route ligne
   carte lettre tête main table porte fenêtre chaise tasse pomme poire fleur vache poule brebis chèvre île mort victime voix
   croix noix souris chanson langue banque usine tonne once couronne vie partie photo vidéo moto dent jambe étoile planète
   ville commune plage forêt montagne étape équipe manche marche boîte tranche goutte feuille liste règle loi question
   réponse erreur faute couleur valeur sœur mère tante nuit part fois brique arme balle bombe roue vitre clé clef chaîne
   caméra médaille coupe course défaite victoire saison épreuve séance classe leçon œuvre scène phrase syllabe touche image
   colonne case cellule botte robe jupe chemise veste note idée dose plante graine branche racine barre ferme église tour
   base affaire preuve loi cause action vague tente cigarette pierre perle bête abeille mouche fourmi colombe oie dinde
   caisse palette bande case note prise vis pile ampoule lampe bougie cloche flèche page copie revue amende peine plainte
   grève manifestation visite offre demande commande vente location nuitée voie piste gare station zone parcelle chambrée
   centaine douzaine vingtaine dizaine huître crêpe tarte pizza bière limonade cuillerée gousse pincée livraison`,
);
/** Endings of feminine nouns, and the nouns with such an ending that are not. */
const ENDING =
  /(?:[tsx]ion|té|ette|[ae]nce|ie|ure|ée|esse|euse|trice|ière|elle|enne|ine|ade|ille|ise|ude|tte|lle|nne|sse|ouche)$/;
const MASCULINE = words(
  `été côté comité traité arrêté député musée lycée trophée incendie génie parapluie magazine domaine stade grade
   murmure mercure camion avion lion million pion champion espion scorpion bastion squelette silence quatrième intelle
   portefeuille gorille stage vermicelle violoncelle polichinelle libelle modèle parallèle mille mètre kilomètre litre
   homme gramme programme problème thème système poème`,
);
/** Adjectives that show the gender of the noun behind them. */
const FEMININE_ADJECTIVE =
  /^(?:nouvelle|belle|petite|grande|bonne|première|dernière|vieille|ancienne|longue|différente|mauvaise|seconde)s?$/;

/** Whether a number before this word is feminine. */
export function isFeminine(word: string): boolean {
  const small = word.toLowerCase();
  if (FEMININE_ADJECTIVE.test(small)) return true;
  const noun = FEMININE.has(small) || MASCULINE.has(small) ? small : small.replace(/[sx]$/, '');
  return FEMININE.has(noun) || (ENDING.test(noun) && !MASCULINE.has(noun));
}
