/**
 * A table that stays usable on every screen: it scrolls by itself where it is too wide, by keyboard
 * too, and on a phone each row is a card with the names of its columns.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /**
   * `lead` names the row, `name` and `wide` may wrap. `lead`, `wide` and `actions` have a line of a
   * card for themselves.
   */
  readonly kind?: 'number' | 'lead' | 'name' | 'wide' | 'actions';
  /** The order that its heading sorts by. */
  readonly order?: string;
}

export interface Order {
  readonly by: string;
  readonly descending: boolean;
}

interface TableProps<Row> {
  readonly label: string;
  /** A column that is false is left out. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly order?: Order;
  readonly onOrder?: (by: string) => void;
}

export function Table<Row>({ label, columns, rows, idOf, order, onOrder }: TableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            {shown.map((column) => (
              <Heading key={column.name} of={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {shown.map(({ name, kind, cell }) => (
                <td key={name} class={kind} data-label={kind === 'actions' || kind === 'lead' ? undefined : name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface HeadingProps {
  readonly of: Column<never>;
  readonly order: Order | undefined;
  readonly onOrder: ((by: string) => void) | undefined;
}

function Heading({ of: { name, kind, order: own }, order, onOrder }: HeadingProps) {
  const isSorted = own !== undefined && order?.by === own;
  const direction = isSorted ? (order.descending ? 'descending' : 'ascending') : undefined;
  const text = kind === 'actions' ? <span class="visually-hidden">{name}</span> : name;
  return (
    <th scope="col" class={kind} aria-sort={direction}>
      {own === undefined || onOrder === undefined ? (
        text
      ) : (
        <button type="button" class="sort" onClick={() => onOrder(own)}>
          {text}
        </button>
      )}
    </th>
  );
}

/** What scrolls has to be reached by keyboard, and what does not needs no stop there. */
function setTabStop(element: HTMLElement): void {
  if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
  else element.removeAttribute('tabindex');
}

function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  // Before new rows are painted, so that they are never out of reach.
  useLayoutEffect(() => setTabStop(box.current!));
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setTabStop(element));
    observer.observe(element);
    observer.observe(element.firstElementChild!);
    return () => observer.disconnect();
  }, []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div ref={box} class="scroll" role="group" aria-label={label}>
      {children}
    </div>
  );
}
