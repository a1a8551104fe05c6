/** What every account store must do, whatever database is behind it. */
import { afterEach, beforeEach, describe } from 'vitest';
import { jobsContract } from './account-store/jobs.js';
import { keptContract } from './account-store/kept.js';
import { keysContract } from './account-store/keys.js';
import { lapsedContract } from './account-store/lapsed.js';
import { limitsContract } from './account-store/limits.js';
import { moneyContract } from './account-store/money.js';
import { passesContract } from './account-store/passes.js';
import { type StoreFixture, StoreTools, TIME } from './account-store/tools.js';
import { usageContract } from './account-store/usage.js';
import { requestLogContract } from './request-log.js';

export function accountStoreContract(name: string, open: () => Promise<StoreFixture>): void {
  describe(`${name} as an account store`, () => {
    const tools = new StoreTools();
    beforeEach(async () => {
      tools.fixture = await open();
      await tools.fixture.database.startAt(TIME);
    });
    afterEach(() => tools.fixture.dispose());

    requestLogContract(() => tools.store);
    keysContract(tools);
    passesContract(tools);
    keptContract(tools);
    jobsContract(tools);
    moneyContract(tools);
    limitsContract(tools);
    lapsedContract(tools);
    usageContract(tools);
  });
}
