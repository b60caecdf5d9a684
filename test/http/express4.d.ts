// Express 4 under another name; the parts used here have the same types.
declare module 'express4' {
  import express from 'express';

  export = express;
}
