import { queueTableContract } from '../../../../test/contract/jobs/queue-table.ts';
import { openSqlite } from '../../sqlite/open-sqlite.ts';

queueTableContract('embedded storage', () => openSqlite(':memory:'), 150);
