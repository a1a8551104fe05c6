/** The tree of a formula. */

export interface Place {
  readonly from: number;
  readonly to: number;
}

export type Row = readonly Node[];

export type Node = Place &
  (
    | { readonly kind: 'number'; readonly text: string }
    | { readonly kind: 'letter'; readonly text: string }
    /** A command or a sign that the tables have words for, or nobody. */
    | { readonly kind: 'symbol'; readonly text: string; readonly command: boolean }
    | { readonly kind: 'big'; readonly text: string }
    | { readonly kind: 'function'; readonly text: string }
    | {
        readonly kind: 'script';
        readonly base: Node | undefined;
        readonly sub?: Row;
        readonly sup?: Row;
        readonly primes: number;
      }
    | { readonly kind: 'fraction'; readonly top: Row; readonly bottom: Row; readonly binomial: boolean }
    | { readonly kind: 'root'; readonly degree: Row | undefined; readonly body: Row }
    | { readonly kind: 'accent'; readonly text: string; readonly body: Row }
    | { readonly kind: 'set'; readonly text: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'group'; readonly body: Row }
    | { readonly kind: 'fenced'; readonly open: string; readonly close: string; readonly body: Row }
    | { readonly kind: 'table'; readonly name: string; readonly rows: readonly (readonly Row[])[] }
    | { readonly kind: 'break'; readonly text: string }
  );

/** A node of one kind. */
export type Of<K extends Node['kind']> = Extract<Node, { kind: K }>;
