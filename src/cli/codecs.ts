/** How the command line reads values: it knows the code of nobody, and no codec but the default. */

import { type Codec, defaultCodec } from '../base/codec.ts'

/** For people: values as the code saw them; as stored where the default codec cannot read them. */
export const readableCodec: Codec = {
  encode: defaultCodec.encode,
  decode: (stored) => {
    try {
      return defaultCodec.decode(stored)
    } catch {
      return stored
    }
  },
}

/** For programs: values as they are stored, which is always JSON. */
export const storedCodec: Codec = {
  encode: defaultCodec.encode,
  decode: (stored) => stored,
}
