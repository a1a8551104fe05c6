/** The shape of a page of the dashboard. `pages.ts` lists them. */
import type { ComponentType } from 'preact';

export interface DashboardPage {
  /** The last part of its address; empty for the first page. */
  readonly name: string;
  /** Its link. */
  readonly label: string;
  /** Its heading. */
  readonly title: string;
  /** Its heading for the holder of a key; without one, the page is the operator's alone. */
  readonly ownTitle?: string;
  readonly View: ComponentType;
  /** Loads what it shows. */
  readonly load: () => Promise<void>;
  /** Pause between two loads (ms); without it, one load has to do. */
  readonly everyMs?: number;
}
