import { requestRecordsContract } from '../../../test/contract/request-records.ts';
import { createMemoryRequestRecords } from './request-records.ts';

requestRecordsContract('memory', async (bounds) => {
  const records = createMemoryRequestRecords(bounds);
  return { writer: records, reader: records };
});
