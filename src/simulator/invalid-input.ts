// Invalid input to the simulator's control interface, with a message for the user. The simulator stands
// outside the gateway, as a provider does, and does not use the gateway's error codes.

export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
}
