// The version of this build. A test holds it equal to package.json, which a bundle or browser cannot read.

export const VERSION = '0.1.0';
