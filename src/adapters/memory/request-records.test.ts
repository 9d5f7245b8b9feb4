import { requestRecordsContract } from '../../../test/contract/request-records.ts';
import { createMemoryRequestRecords } from './request-records.ts';

requestRecordsContract('memory', createMemoryRequestRecords);
