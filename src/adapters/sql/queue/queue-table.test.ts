import { queueTableContract } from '../../../../test/contract/queue-table.ts';
import { openSqlite } from '../../sqlite/open-sqlite.ts';

queueTableContract('embedded storage', () => openSqlite(':memory:'), 150);
