// Aliases to a provider of each format: `to-messages`, `to-chat`, `to-responses`, `to-generate`.

import { SINGLE_ATTEMPTS } from '../../support/gateway/test-gateway.ts';

/** Two providers of OpenAI's format have one endpoint each, so that its two formats are translated into each other too. */
export function onlyEndpoints(simulatorUrl: string): string {
  const only = (endpoint: string) =>
    `{ baseUrl: "${simulatorUrl}/only-${endpoint}/v1", apiKey: k, onlyEndpoint: ${endpoint} }`;
  return `${SINGLE_ATTEMPTS}
providers:
  only-chat: ${only('chat')}
  only-responses: ${only('responses')}
aliases:
  to-messages: { targets: [anthropic/claude-sonnet-5-5] }
  to-chat: { targets: [only-chat/gpt-5-mini] }
  to-responses: { targets: [only-responses/gpt-5-mini] }
  to-generate: { targets: [gemini/gemini-2.5-flash] }
`;
}
