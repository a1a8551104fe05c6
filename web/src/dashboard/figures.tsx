/** A row of figures, each with its name and a note. */

export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
}

export function Figures({ of }: { readonly of: readonly Figure[] }) {
  return (
    <dl class="figures">
      {of.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
