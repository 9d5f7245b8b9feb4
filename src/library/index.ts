// The public entry `spillway`: the gateway embedded in a program.

export { StartFailure } from '../app/start-failure.ts';
export { ConfigError } from '../config/config-error.ts';
export type { LogEntry } from '../kernel/log.ts';
export { createGateway, type Gateway, type GatewayHandler } from './create-gateway.ts';
export type { GatewayLog, GatewayOptions, GatewaySettings } from './gateway-options.ts';
