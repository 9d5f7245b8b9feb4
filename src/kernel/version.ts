// The version of this build. A test keeps it equal to package.json, which a bundle cannot read.

export const VERSION = '0.1.0';
