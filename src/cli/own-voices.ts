/** The catalogue as commands on this machine see it, with the voices that this user made. */
import { type Config, userVoicesDir } from '../config.js';
import type { CatalogueOptions, VoiceCatalogue } from '../models/catalogue.js';

/** Servers of this user read the same folders. */
export const catalogueOptions = ({
  voicesDir,
}: Pick<Config, 'voicesDir'>): Required<Pick<CatalogueOptions, 'voicesDir' | 'userDir'>> => ({
  voicesDir,
  userDir: userVoicesDir(process.env),
});

export async function ownCatalogue(config: Pick<Config, 'voicesDir'>): Promise<VoiceCatalogue> {
  const { loadCatalogue } = await import('../models/catalogue.js');
  return loadCatalogue(catalogueOptions(config));
}
