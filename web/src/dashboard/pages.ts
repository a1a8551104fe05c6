/** The pages of the dashboard, in the order of their links. */
import type { DashboardPage } from './page.js';
import { JOBS } from './pages/jobs.js';
import { KEYS } from './pages/keys.js';
import { NOW } from './pages/now.js';
import { REQUESTS } from './pages/requests.js';
import { SETTINGS } from './pages/settings.js';
import { USAGE } from './pages/usage.js';
import { VOICES } from './pages/voices.js';
import { WORKERS } from './pages/workers.js';
import { identity } from './state.js';

const PAGES: readonly DashboardPage[] = [NOW, KEYS, USAGE, REQUESTS, JOBS, WORKERS, VOICES, SETTINGS];

const isOperator = (): boolean => identity.value?.role === 'admin';

/** The pages that who is signed in may see. */
export const ownPages = (): readonly DashboardPage[] =>
  PAGES.filter(({ ownTitle }) => isOperator() || ownTitle !== undefined);

export const titleOf = ({ title, ownTitle }: DashboardPage): string => (isOperator() ? title : (ownTitle ?? title));
