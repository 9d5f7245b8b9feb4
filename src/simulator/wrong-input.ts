// What a person got wrong in talking to the simulator, as one sentence for that person. The simulator stands
// outside the gateway, as a provider does, so it has no part in the gateway's own codes.

export class WrongInput extends Error {
  override readonly name = 'WrongInput';
}
