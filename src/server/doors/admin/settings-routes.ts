/** /admin/v1/settings: what this server is and how it was started. */
import type { FastifyInstance } from 'fastify';
import { AdminSettings } from '../../../protocol/admin/figures.js';
import { type AdminParts, described } from './parts.js';

const NO_SETTINGS = { config_file: { path: '', found: false }, settings: [] };

export function addSettings(app: FastifyInstance, { admin, catalogue, operator }: AdminParts): void {
  const summary = 'Version, platform, and every setting of this server with its source; no secret is in it';
  app.get(
    '/settings',
    { schema: described('getSettings', summary, AdminSettings), onRequest: operator },
    async (): Promise<AdminSettings> => ({
      version: admin.version,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      accounts: admin.store.shared ? 'postgresql' : 'sqlite',
      voices: { version: catalogue.version, count: catalogue.all.length },
      ...(admin.settings ?? NO_SETTINGS),
    }),
  );
}
