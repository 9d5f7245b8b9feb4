import { headroomExchangeContract } from '../../../test/contract/headroom-exchange.ts';
import { createMemoryHeadroomExchange } from './headroom-exchange.ts';

headroomExchangeContract('memory', async () => createMemoryHeadroomExchange());
