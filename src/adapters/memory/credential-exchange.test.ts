import { credentialExchangeContract } from '../../../test/contract/credential-exchange.ts';
import { createMemoryCredentialExchange } from './credential-exchange.ts';

credentialExchangeContract('memory', async () => createMemoryCredentialExchange());
